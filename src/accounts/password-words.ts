/** Words that passwords are made of most often, in lower case. Each also counts backwards and with signs for letters. */
const WORDS = `
abc asd qwe zxc access account action adidas admin administrator adobe alexander amanda america amsterdam andrea andrew angel angela animal
anthony apple arsenal asdf ashley august austin autumn azerty backup bailey banana barcelona baseball basic basketball batman
battery berlin bigdog blink bonjour bond boomer boston brandon buster butterfly camaro canada captain charlie chelsea cheese chicken
chocolate christian cisco cluster coffee company computer connect container cookie cool correct correcthorsebatterystaple corvette
cowboy dallas daniel database david december default demo deploy dev devops diamond docker dolphin dragon dreams eagle elephant
england enter falcon family february ferrari fishing flower football forever freedom friday friend friends fuckyou gaming gandalf
geheim ginger github gitlab gizmo google guest guitar hallo hammer hannah happy harley harry hello hockey home hottie hunter iceman
iloveyou image internet jackson james january jasmine jennifer jenkins jessica jesus johnny jordan joshua july june junior justin
kennwort killer kubernetes lakers letmein liverpool login london love lovely lucky maggie manager march marina marine martin marvin
master matrix matthew maverick melissa mercedes merlin michael michelle mickey midnight money monday monkey monster morgan mother
mustang mypassword naruto nicole ninja nothing november october oliver online openshift operator orange oracle pass passphrase
passw passwd password passwort patrick peanut pepper phoenix please pokemon policy porsche postgres power prince princess private prod
production project purple qazwsx qwer qwert qwerty qwertz rainbow ranger red redhat registry robert rocket root samantha samsung
sarah saturday school scooter secret secure security september server service shadow silver simple smokey snoopy soccer solo sommer
spider spring staging staple star starwars steelers steven strong summer sunday sunshine super superman superuser support sweet
switch system taylor temp temporary tennis test tester testing thomas thunder tiger tigger today top topsecret trigger trustno
tuesday turtle ubuntu user vault victor vmware voodoo web wednesday welcome whatever william willkommen windows winner winter wizard
word yamaha yankees yellow zaq zxcvbn changeme changeit image ipo imagepolicyoperator
`
  .split(/\s+/)
  .filter((word) => word.length >= 3);

/** KNOWN_WORDS are those words, and each of them backwards. */
export const KNOWN_WORDS: ReadonlySet<string> = new Set(
  WORDS.flatMap((word) => [word, [...word].toReversed().join('')]),
);

/** LONGEST_WORD is how many characters the longest has. */
export const LONGEST_WORD = Math.max(...WORDS.map(({ length }) => length));

/** Keys and letters in an order that everybody knows. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  '`1234567890-=',
  '!@#$%^&*()_+',
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qweasdzxc123qweasdzxc',
];

/** RUNS are those orders, forwards and backwards. */
export const RUNS: readonly string[] = ROWS.flatMap((row) => [row, [...row].toReversed().join('')]);
