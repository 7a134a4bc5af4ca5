import { join } from 'node:path'
import { startChild } from './child.ts'

type Beat = { began: number; ended: number; lateMs: number }
export type Busy = { began: number; ended: number }

/** Two seconds of beats, because a single late beat delays hardly anything. */
const windowSize = 8
/** If 10 ms take six times as long, a request through client, `web` and MongoDB waits for one second. */
const busyMs = 50

export function openPulse(report: (busy: Busy) => void): { beat(beat: Beat): void; end(): void } {
  let beats: Beat[] = []
  let busy: Busy | null = null
  let endedAt = 0
  const end = (): void => {
    if (busy === null) return
    report(busy)
    endedAt = busy.ended
    busy = null
  }
  return {
    beat(beat) {
      beats = [...beats, beat].slice(-windowSize)
      if (beats.reduce((sum, each) => sum + each.lateMs, 0) <= windowSize * busyMs) return end()
      const began = Math.max(endedAt, beats[0]?.began ?? beat.began)
      busy = { began: busy?.began ?? began, ended: beat.ended }
    },
    end,
  }
}

export function watchPulse(report: (busy: Busy) => void): () => void {
  const pulse = openPulse(report)
  const child = startChild(join(import.meta.dirname, 'beat.mjs'), {}, (line) => pulse.beat(JSON.parse(line)))
  return () => {
    child.kill('SIGKILL')
    pulse.end()
  }
}
