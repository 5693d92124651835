import { VERSION } from '../bin/version.ts';
import { runServicePart } from '../src/app/index.ts';
import { runPartProgram } from './part.ts';

runPartProgram((options) => runServicePart({ ...options, version: VERSION }));
