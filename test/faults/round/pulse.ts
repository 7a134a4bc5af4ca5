import { join } from 'node:path'
import type { Fault } from '../evidence/evidence.ts'
import { startChild } from './child.ts'

/** 10 ms of computing, a fixed time after the one before (beat.mjs): how much later than it could have been it was over. */
export interface Beat {
  began: number
  ended: number
  lateMs: number
}

/** Two seconds of beats: one that is late alone delays nobody much. */
const WINDOW = 8
/**
 * Late by so much on the average, 10 ms take six times as long, and so does everything else: a request that goes through a client, a `web` and MongoDB
 * some twenty times has waited for a second.
 */
const BUSY_MS = 50

/** Tells each stretch in which beats were late as a fault; `end` tells the one that is on. */
export function openPulse(tell: (fault: Fault) => void): { beat(beat: Beat): void; end(): void } {
  let beats: Beat[] = []
  let busy: { began: number; ended: number } | null = null
  let endedAt = 0
  const end = (): void => {
    if (busy === null) return
    tell({ ...busy, what: 'machine.busy', target: 'machine' })
    endedAt = busy.ended
    busy = null
  }
  return {
    beat(beat) {
      beats = [...beats, beat].slice(-WINDOW)
      const lateMs = beats.reduce((sum, each) => sum + each.lateMs, 0)
      if (lateMs <= WINDOW * BUSY_MS) return end()
      // The first beats of it may have been the last of the stretch before.
      const began = Math.max(endedAt, beats[0]?.began ?? beat.began)
      busy = { began: busy?.began ?? began, ended: beat.ended }
    },
    end,
  }
}

/**
 * Watches whether the machine has so much else to do that nothing on it is on time, and tells that as a fault, so that no promise about time is judged by
 * it. Stops, and tells the last, when what it answers is called.
 */
export function watchPulse(tell: (fault: Fault) => void): () => void {
  const pulse = openPulse(tell)
  const child = startChild(join(import.meta.dirname, 'beat.mjs'), {}, (line) => pulse.beat(JSON.parse(line)))
  return () => {
    child.kill('SIGKILL')
    pulse.end()
  }
}
