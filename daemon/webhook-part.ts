import { runWebhookPart } from '../src/app/index.ts';
import { runPartProgram } from './part.ts';

runPartProgram(runWebhookPart);
