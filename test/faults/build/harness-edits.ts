import { type Edit, replace } from '../../support/edited-build/edit.ts'
import { points } from './points.ts'

/** Adds the offset of a round to database time. support/wall-clock.mjs sets the wall clocks. */
const shiftedTime = replace('noShift', '($ms) => $ms', '($ms) => $ms + offsetMs()')

/** Lists have a count checkpoint every 5 items, because no list of a round has 2 000. */
const closeCheckpoints = replace('stride', '2_000', '5')

export const harnessEdits: readonly Edit[] = [shiftedTime, closeCheckpoints, ...points.flatMap(({ edits }) => edits)]

/** Draws payment codes from only 500 values, so that some are drawn twice. A longer round would run out of codes. */
export const fewCodes: Edit = replace('newPaymentCode', 'randomInt($)', 'randomInt(500)')
