import type { FaultOf, Kind } from '../plan/fault.ts'
import type { World } from './world.ts'

/** Does it, and heals it. Answers when it began and what it is to be called; null where it came to nothing. */
export type Act<Name extends Kind> = (
  world: World,
  fault: FaultOf<Name>,
) => Promise<{ began: number; target: string } | null>
