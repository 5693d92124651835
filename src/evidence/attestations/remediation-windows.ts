import { counted, formatCount } from '../../render/index.ts';
import { criticalWindows } from '../critical-window.ts';
import { scopeOf, type AttestationRule, type Judged } from './attestation.ts';

/** remediationWindows: critical findings that were raised were fixed inside the declared window. */
export const remediationWindows: AttestationRule = {
  id: 'remediation-windows',
  title: 'Critical findings are fixed inside the declared window',
  population: 'critical findings raised with a tracker in the period that were fixed',
  asks: 'Every fixed critical finding raised in the period was fixed inside the declared window, and at least one was.',
  begin({ request, facts, governing, at }) {
    let [raised, fixed, inside, openPast] = [0, 0, 0, 0];
    const isDeclared = criticalWindows(governing, request).length > 0;
    return {
      issue({
        kind,
        opened_at: opened,
        reason,
        inside_window: inWindow,
        closed_at: closed,
        window_hours: window,
      }) {
        if (kind !== 'finding' || opened === null || opened < request.from || opened > request.to) return;
        raised += 1;
        if (reason === 'fixed') fixed += 1;
        if (reason === 'fixed' && inWindow === true) inside += 1;
        if (closed === null && window !== null && at - opened > window * 3_600_000) openPast += 1;
      },
      end(missing): Judged {
        const counts = { raised, open_past_window: openPast };
        const figures = { population: fixed, passed: inside, failed: fixed - inside, counts };
        const open =
          openPast === 0
            ? ''
            : ` ${counted(openPast, 'finding')} ${openPast === 1 ? 'is' : 'are'} open past the window.`;
        const say = (state: Judged['state'], text: string): Judged => ({
          ...figures,
          state,
          because: `${text}${open}`,
        });
        if (!isDeclared)
          return say('gap', 'No policy declares a window within which critical findings must be fixed.');
        if (missing.has('issue'))
          return say(
            'partial',
            'This package was made only from an export of the ledger, which holds no issues of trackers.',
          );
        if (facts.tracker !== true)
          return say('partial', 'No issue tracker is connected, so nothing shows when findings were fixed.');
        if (raised === 0)
          return say(
            'partial',
            `No critical finding${scopeOf(request, 'cluster')} was raised in the period: nothing was raised, so nothing shows it.`,
          );
        if (fixed === 0)
          return say(
            'partial',
            `Of ${counted(raised, 'critical finding')} raised in the period, none has been fixed.`,
          );
        const text = `Of ${counted(fixed, 'critical finding')} raised in the period and fixed, ${formatCount(inside)} ${inside === 1 ? 'was' : 'were'} fixed inside the declared window.`;
        if (inside === 0) return say('gap', text);
        return say(inside === fixed ? 'met' : 'partial', text);
      },
    };
  },
};
