/** The processes that a round runs; each keeps its name, port and log over its lives. */
export const processNames = ['web-1', 'web-2', 'worker-1', 'worker-2'] as const
export type ProcessName = (typeof processNames)[number]
export type ProcessType = 'web' | 'worker'

export const typeOf = (name: ProcessName): ProcessType => (name.startsWith('web') ? 'web' : 'worker')

/** What a round's MongoDB is: one server, or a replica set of three. */
export type Servers = 'standalone' | 'replica-set'

/** What can be done, to whom, and what must be known of it. `mongo.*` is for one server, `primary.*` for a replica set. */
interface Deeds {
  'process.kill': { target: ProcessName }
  'process.stop': { target: ProcessName }
  /** Armed for `forMs`; where the point is passed for the `time`th time it dies there, or stands still, and is away for `awayMs`. */
  'process.point': { target: ProcessName; point: string; time: number; deed: 'kill' | 'stop'; awayMs: number }
  'process.skew': { target: ProcessName; aheadMs: number }
  /** Of all processes at once, and for good. */
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
  'receiver.mood': { target: string; manner: string }
}

export type Kind = keyof Deeds

/** `atMs` after the plan began; healed `forMs` later, 0 of what lasts no time. */
export type FaultOf<Name extends Kind> = { what: Name; atMs: number; forMs: number } & Deeds[Name]
export type PlannedFault = { [name in Kind]: FaultOf<name> }[Kind]

/** What a fault lies upon: of one batcher one fault at a time. */
export const targetOf = ({ what, target }: PlannedFault): string =>
  what === 'process.skew' ? `clock of ${target}` : target
