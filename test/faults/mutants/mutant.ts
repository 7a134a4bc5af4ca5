import type { Edit } from '../../support/edited-build/edit.ts'
import type { OperationName } from '../traffic/traffic.ts'
import type { Focus, Repeated } from './focus.ts'

export interface Mutant {
  name: string
  edits: readonly Edit[]
  /** Promises, one of which must be reported as broken, or the test file that must fail (`api/refund.test.ts`). */
  caughtBy: readonly string[]
  focus: Focus
}

type Emphasis = Partial<Focus>

/** `what it does → what finds it`: promises separated by blanks, or a test file. */
export type PlantedBugs = { [nameAndFinders: string]: Edit | readonly (Edit | Emphasis)[] }
const plain: Focus = { seconds: 10, often: [], points: [], deed: 'kill', awayMs: 300, faults: [] }
export const killedAt = (...points: string[]): Emphasis => ({ seconds: 22, points })
export const pausedAt = (...points: string[]) =>
  ({ seconds: 22, points, deed: 'stop', awayMs: 1500 }) as const
export const frozenAt = (...points: string[]) =>
  ({ seconds: 40, points, deed: 'stop', awayMs: 16_000 }) as const
export const under = (...faults: Repeated[]): Emphasis => ({ seconds: 30, faults })
export const often = (...names: OperationName[]): Emphasis => ({ often: names })
export const lasting = (seconds: number): Emphasis => ({ seconds })
const isEdit = (part: Edit | Emphasis): part is Edit => 'put' in part

export const mutantsOf = (planted: PlantedBugs): Mutant[] =>
  Object.entries(planted).map(([key, bug]) => {
    const [name = '', finders = ''] = key.split(' → ')
    const parts = [bug].flat()
    const focus = Object.assign({ ...plain }, ...parts.filter((part) => !isEdit(part)))
    return { name, edits: parts.filter(isEdit), caughtBy: finders.split(' '), focus }
  })
