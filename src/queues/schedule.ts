import type { Queue } from 'bullmq'

/** When a queue gets a job by itself: a cron pattern, of which the first part are seconds, and the time zone that it means. */
export interface Schedule {
  id: string
  pattern: string
  tz: string
}

/**
 * Has BullMQ add a job by the clock, from now on and whoever is there then. Only where it does not yet: an upsert would delete the job of a run that
 * is overdue, and each deploy would be one.
 */
export async function keepSchedule(queue: Queue, { id, pattern, tz }: Schedule): Promise<void> {
  const known = await queue.getJobScheduler(id)
  if (known?.pattern === pattern && known.tz === tz) return
  await queue.upsertJobScheduler(id, { pattern, tz }, { name: queue.name })
}
