import { VERSION } from '../bin/terminal/index.ts';
import { runServicePart } from '../src/app/start/service-entry.ts';
import { runPartProgram } from './part.ts';

runPartProgram((options) => runServicePart({ ...options, version: VERSION }));
