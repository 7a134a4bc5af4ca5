import { drop, replace } from '../../../support/edited-build/edit.ts'
import type { PlantedBugs } from '../mutant.ts'

export const limitMutants: PlantedBugs = {
  'quota-exceeded': {
    bug: 'The last block of a quota is reserved even if only a part of it is left.',
    edits: [replace('openCounters', '{ used: { $lte: max - amount } }', '{ used: { $lt: max } }')],
    caughtBy: ['unit/counter.test.ts'],
  },
  'block-too-large': {
    bug: 'A process holds as much of a quota as it has ever needed at once, without a bound.',
    edits: [replace('openCounters', 'Math.min($size * 2, $most)', '$size * 2')],
    caughtBy: ['unit/counter.test.ts'],
  },
  'block-kept': {
    bug: 'A process that stops keeps what it has reserved of a quota.',
    edits: [replace('openCounters', 'Promise.all([...blocks.values()].map($settle))', 'Promise.resolve()')],
    caughtBy: ['unit/counter.test.ts'],
  },
  'points-for-ever': {
    bug: 'A counter of failures does not begin anew when its period has ended.',
    edits: [
      replace('openCounters', "const isOver = { $lte: ['$expireAt', at] }", "const isOver = { $lt: ['$expireAt', 0] }"),
    ],
    caughtBy: ['unit/counter.test.ts'],
  },
  'debts-kept': {
    bug: 'What a quiet business owes slows the endpoints of all others.',
    edits: [drop('createMeters', 'payOff($now)')],
    caughtBy: ['webhooks/send-tls.test.ts'],
  },
  'share-in-turn': {
    bug: 'What becomes free goes to the owner that has waited longest, not to the one that holds least.',
    edits: [replace('createShare', 'partOf(...$one) - partOf(...$other)', '0')],
    caughtBy: ['unit/share.test.ts'],
  },
  'share-in-parts': {
    bug: 'A call that needs more than is free of one resource takes it nevertheless.',
    edits: [replace('createShare', 'return block === null', 'return block?.name !== names[0]')],
    caughtBy: ['unit/share.test.ts'],
  },
  'response-forgotten': {
    bug: 'The memory of a response counts until it is built, not until the client has read it.',
    edits: [replace('createRequestMemory', "response.once('close', end)", 'setImmediate(end)')],
    caughtBy: ['unit/capacity.test.ts'],
  },
}
