import { runWebhookPart } from '../src/app/start/webhook-entry.ts';
import { runPartProgram } from './part.ts';

runPartProgram(runWebhookPart);
