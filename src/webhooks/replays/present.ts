import type { Replay } from './replay.ts'

/** The fields of a replay that the API presents. */
export type PresentableReplay = Omit<
  Replay,
  'through' | 'running' | 'reached' | 'nextRunAt' | 'leaseToken' | 'startedBy' | 'day' | 'numberOfDay' | 'expiresAt'
>

/** Returns a replay as the API presents it. */
export const presentReplay = (replay: PresentableReplay) => ({
  id: replay._id,
  endpointId: replay.endpointId,
  status: replay.status,
  cancellationReason: replay.cancellationReason,
  from: replay.from,
  to: replay.to,
  events: replay.events,
  onlyUndelivered: replay.onlyUndelivered,
  dryRun: false,
  total: replay.total,
  requeued: replay.requeued,
  created: replay.created,
  skipped: replay.skipped,
  sandbox: replay.sandbox,
  createdAt: replay.createdAt,
  finishedAt: replay.finishedAt,
})

export type PresentedReplay = ReturnType<typeof presentReplay>
