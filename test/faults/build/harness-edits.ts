import { type Edit, replace } from '../../support/edited-build/edit.ts'
import { points } from './points.ts'

/** Adds the offset of a round to database time, in every process. support/wall-clock.mjs sets their wall clocks. */
const shiftedTime = replace(
  'noShift',
  '(databaseMs) => databaseMs',
  '(databaseMs) => databaseMs + offsetMs()',
)

/** Lists have a count checkpoint every 5 items, not every 2 000: no list of a round is as long as that. */
const closeCheckpoints = replace('stride', '2_000', '5')

/** What every round of `npm run faults` builds into the service. */
export const harnessEdits: readonly Edit[] = [
  shiftedTime,
  closeCheckpoints,
  ...points.flatMap(({ edits }) => edits),
]

/** Draws payment codes from 500, not from a million, so that some are drawn twice within half a minute. Too few for a longer round. */
export const fewCodes: Edit = replace('newPaymentCode', 'randomInt($)', 'randomInt(500)')
