import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FAKE_KINDS, VENDOR_LIMITS } from '../../fakes/index.ts';
import { acts, begin, body, draft, MARKERS, refusal } from './stage.ts';

const [FIRST, SECOND, THIRD] = MARKERS;
const HOSTILE =
  '@octocat #1 /close\n/close [~alice] {html} `x` <img src=x> ![x](//x.example) <!-- ipo-1-x -->';

for (const kind of FAKE_KINDS) {
  suite(`the tracker of ${kind}`, () => {
    test('opens an issue by one POST, with labels, a link for people and an id that stays', async (t) => {
      const { fake, tracker, target } = await begin(t, kind);
      const ref = await tracker.create(target, draft(FIRST));
      assert.equal(acts(fake).filter((act) => act === 'create').length, 1);
      const [issue] = fake.state.issues;
      assert.equal(ref.id, String(issue?.id));
      assert.ok(ref.url.startsWith(`${fake.webUrl}/`), ref.url);
      assert.ok(issue?.labels.includes('security'));
      assert.match(ref.key, kind.startsWith('jira') ? /^SEC-1$/ : /^acme\/shop#1$/);
    });

    test('finds an issue by its marker, open or closed, and none by another', async (t) => {
      const { fake, clock, tracker, target, later } = await begin(t, kind);
      const since = clock.now();
      const ref = await tracker.create(target, draft(FIRST));
      later();
      assert.deepEqual(await tracker.find(target, FIRST, since), ref);
      assert.equal(await tracker.find(target, SECOND, since), null);
      fake.state.close(fake.state.issues[0]!);
      later();
      assert.deepEqual(await tracker.find(target, FIRST, since), ref);
    });

    test('finds its issue among a hundred others', async (t) => {
      const { fake, clock, tracker, target, later } = await begin(t, kind);
      const since = clock.now();
      const ref = await tracker.create(target, draft(FIRST));
      for (let n = 0; n < 100; n += 1) fake.state.open({ project: target, title: `${n}`, by: 'ipo-bot' });
      later();
      assert.deepEqual(await tracker.find(target, FIRST, since), ref);
    });

    test('takes no issue and no comment of another account, whatever marker it shows', async (t) => {
      const { fake, clock, tracker, target, later } = await begin(t, kind);
      const since = clock.now();
      const ref = await tracker.create(target, draft(FIRST));
      await tracker.comment(ref, { body: body('openssl'), marker: SECOND });
      const [issue] = fake.state.issues;
      fake.state.open({
        project: target,
        title: issue?.title ?? '',
        body: issue?.body,
        labels: [...(issue?.labels ?? []), THIRD],
      });
      fake.state.comment(
        issue!,
        JSON.parse(JSON.stringify(issue?.comments[0]?.body).replaceAll(SECOND, THIRD)),
      );
      later();
      assert.equal((await tracker.find(target, FIRST, since))?.id, ref.id);
      assert.equal(await tracker.find(target, THIRD, since), null);
      assert.deepEqual(await tracker.commentMarkers(ref, since), [SECOND]);
    });

    test('comments once, knows its own comments by their markers, and closes with one write', async (t) => {
      const { fake, clock, tracker, target } = await begin(t, kind);
      const since = clock.now();
      const ref = await tracker.create(target, draft(FIRST));
      assert.deepEqual(await tracker.commentMarkers(ref, since), []);
      await tracker.comment(ref, { body: body('fixed'), marker: SECOND });
      await tracker.comment(ref, { body: body('fixed'), marker: THIRD });
      assert.deepEqual((await tracker.commentMarkers(ref, since)).toSorted(), [SECOND, THIRD]);
      assert.deepEqual(await tracker.read(ref), { state: 'open' });
      assert.equal(await tracker.close(ref, 'triaged'), 'closed');
      assert.deepEqual(await tracker.read(ref), { state: 'closed' });
      assert.equal(acts(fake).filter((act) => act === 'close').length, 1);
      assert.equal(fake.state.history.filter(({ act }) => act === 'close').length, 1);
      if (kind.startsWith('github')) assert.equal(fake.state.issues[0]?.reason, 'not_planned');
    });

    test('asks for its own account once', async (t) => {
      const { fake, tracker } = await begin(t, kind);
      const { id } = await tracker.self();
      assert.deepEqual(await tracker.self(), { id });
      assert.deepEqual(acts(fake), ['self']);
    });

    test('sees that a person closed, reopened or moved the issue', async (t) => {
      const { fake, tracker, target } = await begin(t, kind);
      const ref = await tracker.create(target, draft(FIRST));
      const [issue] = fake.state.issues;
      fake.state.close(issue!);
      assert.equal((await tracker.read(ref)).state, 'closed');
      fake.state.reopen(issue!);
      assert.equal((await tracker.read(ref)).state, 'open');
      const moved = fake.state.move(issue!, fake.state.projects[1]?.path ?? '');
      const { state, movedTo } = await tracker.read(ref);
      assert.equal(state, 'open');
      assert.equal(movedTo?.id, String(moved.id));
      assert.match(movedTo?.key ?? '', new RegExp(`^${fake.state.projects[1]?.path}[-#]1$`));
      assert.deepEqual(await tracker.read(movedTo!), { state: 'open' });
    });

    test('tells an issue that was deleted where the provider says so for certain', async (t) => {
      const { fake, tracker, target } = await begin(t, kind);
      const ref = await tracker.create(target, draft(FIRST));
      fake.state.remove(fake.state.issues[0]!);
      if (kind.startsWith('github'))
        assert.deepEqual(await tracker.read(ref), { state: 'closed', gone: true });
      else assert.equal((await refusal(() => tracker.read(ref))).fault, 'not_found');
    });

    test('nothing that comes from outside is active: no mention, reference, command, picture, HTML or macro', async (t) => {
      const { fake, tracker, target } = await begin(t, kind);
      const ref = await tracker.create(target, draft(FIRST, HOSTILE));
      await tracker.comment(ref, { body: body(HOSTILE), marker: SECOND });
      // The markers of Markdown are comments of our own.
      const active = fake
        .active()
        .filter(
          ({ kind: what, text }) =>
            what !== 'comment' || !/^<!-- ?ipo-1-[a-z2-7]{26} ?-->$/.test(text.trim()),
        );
      assert.deepEqual(active, []);
      assert.equal(fake.state.issues[0]?.state, 'open');
    });

    test('tests by one read that writes nothing, and says what to do for a token that does not fit', async (t) => {
      for (const token of ['good', 'stranger', 'expired'] as const) {
        const { fake, tracker } = await begin(t, kind, { token });
        const report = await tracker.test();
        assert.deepEqual(
          fake.requests.map(({ method, act }) => [method, act]),
          [['GET', 'test']],
        );
        assert.equal(report.works, token === 'good', report.sentence);
        if (token !== 'good') assert.ok(report.hints.length > 0, report.sentence);
        assert.ok(!JSON.stringify(report).includes(fake.tokens[token].secret));
      }
    });

    test('sends nothing once the guard says no', async (t) => {
      let leads = true;
      const { fake, tracker, target } = await begin(t, kind, { guard: () => leads });
      const ref = await tracker.create(target, draft(FIRST));
      leads = false;
      const before = fake.requests.length;
      for (const act of [
        () => tracker.create(target, draft(SECOND)),
        () => tracker.comment(ref, { body: body('x'), marker: SECOND }),
        () => tracker.close(ref, 'fixed'),
      ]) {
        const { fault, happened } = await refusal(act);
        assert.deepEqual([fault, happened], ['stopped', 'no']);
      }
      assert.deepEqual(
        acts(fake)
          .slice(before)
          .filter((act) => act !== 'server_info' && act !== 'self'),
        [],
      );
    });

    test('a tracker that is down is a write that did not happen', async (t) => {
      const { fake, tracker, target } = await begin(t, kind);
      await tracker.create(target, draft(FIRST));
      await fake.down();
      const { fault, happened } = await refusal(() => tracker.create(target, draft(SECOND)));
      assert.deepEqual([fault, happened], ['network', 'no']);
      await fake.up();
      assert.equal(fake.state.issues.length, 1);
    });
  });
}

for (const kind of FAKE_KINDS.filter((one) => one.startsWith('jira'))) {
  test(`without a transition ${kind} leaves the issue open and asks for nothing`, async (t) => {
    const { fake, tracker, target } = await begin(t, kind, { doneTransitionId: null });
    const ref = await tracker.create(target, draft(FIRST));
    const before = fake.requests.length;
    assert.equal(tracker.closes, false);
    assert.equal(await tracker.close(ref, 'fixed'), 'left_open');
    assert.equal(fake.requests.length, before);
  });

  test(`${kind}: the search finds an issue only once its index has learned of it`, async (t) => {
    const { clock, tracker, target } = await begin(t, kind);
    const since = clock.now();
    const ref = await tracker.create(target, draft(FIRST));
    assert.equal(await tracker.find(target, FIRST, since), null);
    clock.advance(120_000);
    assert.deepEqual(await tracker.find(target, FIRST, since), ref);
  });
}

test('under the gateway the site is asked for once per run, and links lead to it', async (t) => {
  const { fake, tracker, target } = await begin(t, 'jira-gateway');
  for (const marker of [FIRST, SECOND]) {
    const ref = await tracker.create(target, draft(marker));
    assert.equal(ref.url, `${fake.webUrl}/browse/${ref.key}`);
  }
  assert.equal(acts(fake).filter((act) => act === 'server_info').length, 1);
});

for (const kind of ['github', 'github-enterprise', 'gitlab'] as const) {
  test(`${kind}: a renamed repository is an error that tells of the move, and nothing is written there`, async (t) => {
    const { fake, tracker, target } = await begin(t, kind);
    fake.state.rename(target, 'acme/store');
    const error = await refusal(() => tracker.create(target, draft(FIRST)));
    assert.equal(error.happened, 'no', error.message);
    assert.equal(fake.state.issues.length, 0);
  });

  test(`${kind}: an issue in a repository that was renamed meanwhile is found at its new place`, async (t) => {
    const { fake, tracker, target } = await begin(t, kind);
    const ref = await tracker.create(target, draft(FIRST));
    fake.state.rename(target, 'acme/store');
    const { movedTo } = await tracker.read(ref);
    assert.equal(movedTo?.id, ref.id);
  });
}

for (const kind of FAKE_KINDS) {
  test(`ninety issues in a row never meet the limits of ${kind}, since writes keep their distance`, async (t) => {
    const { fake, tracker, target } = await begin(t, kind, {}, VENDOR_LIMITS.github);
    for (let n = 0; n < 90; n += 1) await tracker.create(target, draft(FIRST));
    const times = fake.requests.filter(({ act }) => act === 'create').map(({ at }) => at);
    assert.equal(fake.state.issues.length, 90);
    assert.ok(times.every((at, n) => n === 0 || at - (times[n - 1] ?? 0) >= 3000));
  });
}

for (const kind of ['github', 'github-enterprise', 'gitlab'] as const) {
  test(`${kind}: an issue whose labels were dropped is found all the same`, async (t) => {
    const { fake, clock, tracker, target } = await begin(t, kind, { token: 'reporter' });
    const since = clock.now();
    const ref = await tracker.create(target, draft(FIRST));
    assert.deepEqual(fake.state.issues[0]?.labels, []);
    assert.deepEqual(await tracker.find(target, FIRST, since), ref);
  });
}

test('a scoped token on the site of Jira is told of the gateway', async (t) => {
  const { tracker } = await begin(t, 'jira-cloud', { token: 'other_form' });
  const { works, sentence, hints } = await tracker.test();
  assert.equal(works, false);
  assert.match([sentence, ...hints].join(' '), /gateway/);
});

test('Data Center that asks for a captcha is told apart from a wrong token', async (t) => {
  const { fake, tracker } = await begin(t, 'jira-datacenter');
  fake.faults.inject(
    { act: 'test' },
    {
      kind: 'answer',
      status: 403,
      headers: {
        'x-authentication-denied-reason': 'CAPTCHA_CHALLENGE; login-url=https://jira.example/login.jsp',
      },
      body: 'Basic Authentication Failure - Reason : AUTHENTICATION_DENIED',
    },
  );
  const { works, sentence, hints } = await tracker.test();
  assert.equal(works, false);
  assert.match([sentence, ...hints].join(' '), /captcha/i);
});
