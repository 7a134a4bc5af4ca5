import type { Round } from '../round.ts'
import type { Span } from './times.ts'

/** An event is handed on some time after it happened: at the latest when nothing was wrong for so long. */
const relayMs = 30_000
/** Deliveries are kept by the second in which their event happened. */
const binMs = 1000

/**
 * Says by when an event of then was handed on, surely: nothing was wrong for so long, and what happened around then was handed on too. Which
 * endpoints there are is looked up then.
 */
export function handingOn({ times, dump }: Pick<Round, 'times' | 'dump'>): (happened: Span) => number {
  const latest = new Map<number, number>()
  for (const { body, createdAt } of dump.deliveries) {
    const happened = times.machineTime(Date.parse((JSON.parse(body) as { created_at: string }).created_at))
    const handedOn = times.machineTime(createdAt).to
    for (const bin of binsOf(happened)) latest.set(bin, Math.max(latest.get(bin) ?? 0, handedOn))
  }
  return ({ from, to }) => {
    const calm = times.calmAfter(to, relayMs) ?? Number.POSITIVE_INFINITY
    const around = binsOf({ from: from - relayMs, to: to + relayMs }).map((bin) => latest.get(bin) ?? 0)
    return around.reduce((last, each) => Math.max(last, each + relayMs), calm)
  }
}

function binsOf({ from, to }: Span): number[] {
  const first = Math.floor(from / binMs)
  return Array.from({ length: Math.floor(to / binMs) - first + 1 }, (_, index) => first + index)
}
