/** PAGE_STYLE is the style of every report: one column of cards, light and dark, for screen and paper. */
export const PAGE_STYLE = `
:root { --page: #f4f6f8; --card: #ffffff; --ink: #17212b; --soft: #55626f; --line: #dbe1e7; --track: #e9edf1;
  --refused: #b3261e; --admitted: #0b63b5; --same: #8492a0; --accent: #5a4fcf; --good: #1b6e3c;
  --refused-tint: #fbeceb; --admitted-tint: #e8f1fb; --gone: #fbeceb; --come: #e6f4ea; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0e1318; --card: #171e26; --ink: #e7ecf1; --soft: #9fadba; --line: #2b3642; --track: #242e39;
    --refused: #ff8b80; --admitted: #76b5ff; --same: #5f6e7d; --accent: #a89fff; --good: #6fce94;
    --refused-tint: #33201f; --admitted-tint: #1a2a3b; --gone: #33201f; --come: #17301f; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 24px 32px; }
header { margin-bottom: 28px; }
h1, h2, h3, p, ul, dl, figure, table { margin: 0; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 17px; line-height: 1.3; margin-bottom: 4px; }
h3 .soft { font-weight: 400; }
h3 { font-size: 14px; line-height: 1.4; margin: 18px 0 6px; overflow-wrap: anywhere; }
.eyebrow { font-size: 12px; font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; color: var(--soft); margin-bottom: 6px; }
.lead { font-size: 19px; line-height: 1.45; margin-top: 12px; max-width: 46em; overflow-wrap: anywhere; }
.lead .refused { color: var(--refused); font-weight: 650; }
.lead .admitted { color: var(--admitted); font-weight: 650; }
.lead .name { font-weight: 650; }
.second { font-size: 16px; margin-top: 6px; max-width: 54em; color: var(--soft); overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.hint { color: var(--soft); font-size: 14px; margin-bottom: 14px; max-width: 52em; }
code { font: 0.9em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.meta { display: flex; flex-wrap: wrap; gap: 8px 32px; margin-top: 20px; padding-top: 16px; border-top: 1px solid var(--line); }
.meta div { min-width: 0; }
.meta dt { font-size: 12px; color: var(--soft); }
.meta dd { margin: 0; overflow-wrap: anywhere; }
section, .cards > div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px 22px; }
section { margin-top: 16px; min-width: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 0 16px; }
.cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; margin-top: 16px; }
.cards dt { color: var(--soft); font-size: 14px; }
.cards dd { margin: 2px 0 0; }
.cards .number { font-size: clamp(20px, 5.4vw, 34px); line-height: 1.15; overflow-wrap: anywhere; font-weight: 650; letter-spacing: -0.02em; }
.cards .refused { color: var(--refused); }
.cards .admitted { color: var(--admitted); }
.split svg { display: block; border-radius: 6px; }
.split rect + rect { stroke: var(--card); stroke-width: 2; }
rect.refused { fill: var(--refused); } rect.admitted { fill: var(--admitted); } rect.same { fill: var(--same); } rect.accent { fill: var(--accent); }
rect.track { fill: var(--track); } rect.hover { fill: transparent; } g:hover > rect.hover { fill: var(--track); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 24px; padding: 0; margin-top: 12px; list-style: none; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 7px; }
.key.refused { background: var(--refused); } .key.admitted { background: var(--admitted); } .key.same { background: var(--same); }
.bars { padding: 0; list-style: none; } p + .bars, .bars + .scroll { margin-top: 12px; }
.bars li + li { margin-top: 12px; }
.bars div { display: flex; justify-content: space-between; gap: 12px; align-items: baseline; margin-bottom: 3px; }
.bars svg { display: block; }
.figure { white-space: nowrap; }
.days svg { display: block; overflow: visible; }
.peaks { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 24px; color: var(--soft); font-size: 13px; }
.days text { fill: var(--soft); font-size: 12px; }
.days .axis { stroke: var(--same); stroke-width: 1; }
.scroll { overflow-x: auto; margin: 0 -22px; padding: 0 22px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; color: var(--soft); padding-bottom: 8px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; white-space: nowrap; }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 7em; }
td.w { min-width: 11em; overflow-wrap: break-word; } td.long { overflow-wrap: anywhere; } td.i { min-width: 20em; } td.s { min-width: 15em; }
tr > :last-child { padding-right: 0; }
tbody tr:last-child > * { border-bottom: 0; }
th.n, td.n { text-align: right; white-space: nowrap; min-width: 0; }
td.t { white-space: nowrap; min-width: 0; }
.tag { display: inline-block; padding: 1px 8px; border-radius: 10px; font-size: 12.5px; white-space: nowrap; }
.tag.same { background: var(--track); }
.tag.refused { background: var(--refused-tint); color: var(--refused); }
.tag.admitted { background: var(--admitted-tint); color: var(--admitted); }
.diff { font: 13.5px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; list-style: none; padding: 0; border-radius: 6px; overflow: hidden; }
.diff li { padding: 1px 10px 1px 26px; text-indent: -16px; overflow-wrap: anywhere; }
.diff .before { background: var(--gone); } .diff .after { background: var(--come); } .diff .rest { color: var(--soft); }
.points dt { font-weight: 600; margin-top: 12px; } .points dt:first-child { margin-top: 0; }
.points dd { margin: 2px 0 0; max-width: 60em; }
.plain { padding-left: 20px; } .plain li + li { margin-top: 6px; }
.checks { list-style: none; padding: 0; } .checks li { padding: 3px 0; } .broken { color: var(--refused); font-weight: 600; } .held { color: var(--good); font-weight: 600; }
.note { margin-top: 14px; font-size: 14px; color: var(--soft); }
details > summary { cursor: pointer; color: var(--soft); font-size: 14px; padding: 10px 0 4px; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { margin-top: 24px; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
footer p + p { margin-top: 4px; }
@media (max-width: 560px) {
  main { padding: 24px 14px; } section { padding: 16px; } .cards > div { padding: 12px; } .scroll { margin: 0 -16px; padding: 0 16px; }
  h1 { font-size: 24px; } .lead { font-size: 17px; } .cards { gap: 10px; }
}
@media screen and (max-width: 640px) {
  .cards { grid-template-columns: 1fr; gap: 10px; }
  .cards > div { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; } .cards dd { text-align: right; }
  th.n { white-space: normal; }
  .stack, .stack tbody, .stack tr, .stack td { display: block; min-width: 0; }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stack tr { padding: 10px 0; border-bottom: 1px solid var(--line); } .stack tbody tr:last-child { border-bottom: 0; }
  .stack td { display: grid; grid-template-columns: 7.5em minmax(0, 1fr); padding: 2px 0; border: 0; text-align: left; white-space: normal; }
  .stack td::before { content: attr(data-label); color: var(--soft); font-size: 13px; } .stack .tag { justify-self: start; }
}
@media print {
  @page { margin: 16mm 14mm; }
  :root { --page: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444; --line: #c9c9c9; --track: #ececec; --refused: #a3201a; --admitted: #0b4f93; --same: #8a8a8a; --good: #14532d;
    --refused-tint: #fbeceb; --admitted-tint: #e8f1fb; --gone: #fbeceb; --come: #e6f4ea; }
  body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; } section, .cards > div { border-radius: 0; padding: 12px 0; border-width: 1px 0 0; }
  .cards { grid-template-columns: repeat(3, 1fr); } .pair { grid-template-columns: 1fr 1fr; } .scroll { margin: 0; padding: 0; overflow: visible; }
  tr, li, figure, .bars, section > ul, .cards > div, dd { break-inside: avoid; } h2, h3 { break-after: avoid; } thead { display: table-header-group; }
  td.w, td.s { min-width: 0; } td.i { min-width: 14em; } table { font-size: 9pt; } h2, .hint { break-after: avoid; }
  .screen, details:not(.paper) { display: none; } details.paper > summary { list-style: none; }
}
`;
