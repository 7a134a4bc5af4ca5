/** The processes of a round. Each keeps its name, port and log when it restarts. */
export const processNames = ['web-1', 'web-2', 'worker-1', 'worker-2'] as const
export type ProcessName = (typeof processNames)[number]
export type ProcessType = 'web' | 'worker'
export const typeOf = (name: ProcessName): ProcessType => (name.startsWith('web') ? 'web' : 'worker')
/** The MongoDB of a round: a replica set of one or of three. */
export type Servers = 'one-member' | 'three-members'

/** Every kind of fault, and what it needs. `mongo.*` is for a set of one, `primary.*` for a set of three. */
interface Faults {
  'process.kill': { target: ProcessName }
  'process.stop': { target: ProcessName }
  /** The process dies or stops for `awayMs` when it passes the point for the `time`th time, but only within `forMs`. */
  'process.point': { target: ProcessName; point: string; time: number; deed: 'kill' | 'stop'; awayMs: number }
  'process.skew': { target: ProcessName; aheadMs: number }
  /** For all processes at once. The clock never jumps back. */
  'clock.jump': { target: 'all'; aheadMs: number }
  'redis.stop': { target: 'redis' }
  'redis.flush': { target: 'redis' }
  'redis.empty': { target: 'redis' }
  'redis.full': { target: 'redis' }
  'mongo.kill': { target: 'mongodb' }
  'mongo.stop': { target: 'mongodb' }
  'primary.kill': { target: 'primary' }
  'primary.end': { target: 'primary' }
  'primary.stop': { target: 'primary' }
  'primary.step-down': { target: 'primary' }
  'endpoint.behaviour': { target: string; behaviour: string }
}
export type Kind = keyof Faults
/** The fault begins at `atMs` of the plan and ends `forMs` later. */
export type FaultOf<Name extends Kind> = { what: Name; atMs: number; forMs: number } & Faults[Name]
export type PlannedFault = { [name in Kind]: FaultOf<name> }[Kind]

/** Each target has at most one fault at a time. */
export const targetOf = ({ what, target }: PlannedFault): string =>
  what === 'process.skew' ? `clock of ${target}` : target
