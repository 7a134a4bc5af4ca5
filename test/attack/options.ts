import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

export type Options = ReturnType<typeof readOptions>
const maxSeed = 1_000_000_000

export function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(randomInt(maxSeed)) },
      requests: { type: 'string' },
      minutes: { type: 'string', default: '120' },
      'in-flight': { type: 'string', default: '12' },
      production: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
    },
  })
  return {
    seed: count('seed', values.seed, maxSeed),
    requests: count('requests', values.requests ?? (values.planted ? '1000' : '10000'), 10_000_000),
    minutes: count('minutes', values.minutes, 24 * 60),
    inFlight: count('in-flight', values['in-flight'], 200),
    isProduction: values.production,
    isPlanted: values.planted,
    checks: positionals,
  }
}

function count(name: string, text: string, max: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}`)
}
