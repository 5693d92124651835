import { listed as account } from './account/index.ts';
import { listed as audit } from './audit/index.ts';
import { listed as backup } from './backup/index.ts';
import { listed as channel } from './channel/index.ts';
import { listed as check } from './check/index.ts';
import { listed as cluster } from './cluster/index.ts';
import { listed as completion } from './completion/index.ts';
import { listed as config } from './config/index.ts';
import { listed as demo } from './demo/index.ts';
import { listed as doctor } from './doctor/index.ts';
import { listed as evidence } from './evidence/index.ts';
import { listed as images } from './images/index.ts';
import { listed as ledger } from './ledger/index.ts';
import { listed as licence } from './licence/index.ts';
import { listed as login } from './login/index.ts';
import { listed as logout } from './logout/index.ts';
import { listed as migrate } from './migrate/index.ts';
import { listed as policy } from './policy/index.ts';
import { listed as release } from './release/index.ts';
import { listed as runtime } from './runtime/index.ts';
import { listed as scan } from './scan/index.ts';
import { listed as serve } from './serve/index.ts';
import { listed as system } from './system/index.ts';
import { listed as token } from './token/index.ts';
import { listed as tracker } from './tracker/index.ts';
import { listed as tracking } from './tracking/index.ts';
import { listed as triage } from './triage/index.ts';
import { listed as upgrade } from './upgrade/index.ts';
import { listed as version } from './version/index.ts';
import { listed as vulns } from './vulns/index.ts';
import { listed as whatif } from './whatif/index.ts';
import { listed as whoami } from './whoami/index.ts';
import type { Listed } from './terminal/listed.ts';

/** COMMANDS lists every command in the order of the help. Written by `npm run commands` from the folders. */
export const COMMANDS: readonly Listed[] = [
  whatif,
  check,
  policy,
  ledger,
  audit,
  evidence,
  runtime,
  images,
  vulns,
  triage,
  scan,
  channel,
  tracker,
  tracking,
  cluster,
  demo,
  serve,
  migrate,
  backup,
  version,
  completion,
  release,
  upgrade,
  licence,
  system,
  config,
  doctor,
  login,
  logout,
  whoami,
  account,
  token,
];
