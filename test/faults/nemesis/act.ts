import type { FaultOf, Kind } from '../plan/fault.ts'
import type { Targets } from './targets.ts'

/** Does it, and heals it. Answers when it began and what it is to be called; null where it came to nothing. */
export type Act<Name extends Kind> = (
  targets: Targets,
  fault: FaultOf<Name>,
) => Promise<{ began: number; target: string } | null>
