import type { Log } from './log.ts'

/**
 * What operations may depend on. Each names the few that it uses: `Pick<Deps, 'now' | 'Intent'>`. The others are in
 * context/open-deps.ts.
 */
export interface Deps extends Models {
  log: Log
  /** Returns database time, which is used for everything that is stored or compared (mongo/database-time.ts). */
  now(): Date
  batchers: Batchers
  /** Aborted when the process stops. From then on `/readyz` fails, and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noEmptyInterface: context/open-deps.ts adds them all.
export interface Models {}

/** Concurrent requests and deliveries share calls to MongoDB through these. */
// biome-ignore lint/suspicious/noEmptyInterface: context/open-deps.ts adds them all.
export interface Batchers {}
