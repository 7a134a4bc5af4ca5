import type { PlannedFault } from './fault.ts'

/** One fault a line: when, for how long, what, to whom. Times in seconds. */
export function printPlan(plan: readonly PlannedFault[]): void {
  for (const { atMs, forMs, what, target, ...more } of plan) {
    const details = Object.entries(more).map(([name, value]) => `${name} ${value}`)
    console.log([inSeconds(atMs), inSeconds(forMs), what.padEnd(18), target, ...details].join('  '))
  }
}

const inSeconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(6)
