import { parseArgs } from 'node:util'
import type { NumberedRound } from './plan/plan.ts'

export type Command =
  | { action: 'check'; folder: string }
  | { action: 'mutants'; names: string[] }
  | { action: 'run'; rounds: NumberedRound[]; keep: boolean }

const longestRoundMinutes = 5
const shortestMinutes = 0.25

export function readArguments(args: string[], defaultSeed: number): Command {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean', default: false }] as const
  const texts = { seed: text, minutes: text, 'round-minutes': text, check: text } as const
  const flags = { 'one-member': flag, 'three-members': flag, keep: flag, mutants: flag }
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { ...texts, ...flags } })
  if (values.check !== undefined) return { action: 'check', folder: values.check }
  if (values.mutants) return { action: 'mutants', names: positionals }
  if (positionals.length > 0) throw new Error(`Unknown arguments: ${positionals.join(' ')}`)
  const kinds = (['one-member', 'three-members'] as const).filter((kind) => values[kind])
  if (kinds.length > 1) throw new Error('--one-member or --three-members, not both')
  const minutes = amount('minutes', values.minutes ?? '10')
  const given = values['round-minutes']
  const roundMinutes = given === undefined ? defaultRoundMinutes(minutes) : amount('round-minutes', given)
  const found = /^(\d{1,9})(?:-(\d{1,4}))?$/.exec(values.seed ?? String(defaultSeed))
  if (found === null) throw new Error('--seed is a number of up to 9 digits, or one with the round: 4711-3')
  const [, seed, only] = found
  const count = only === undefined ? Math.max(1, Math.round(minutes / roundMinutes)) : 1
  const rounds = Array.from({ length: count }, (_, index) => {
    const round = Number(only ?? index + 1)
    const servers = kinds[0] ?? (round % 2 === 1 ? 'one-member' : 'three-members')
    return { seed: Number(seed), round, servers, seconds: roundMinutes * 60 }
  })
  return { action: 'run', rounds, keep: values.keep }
}

export const commandFor = ({ seed, round, servers, seconds }: NumberedRound): string =>
  `npm run faults -- --seed ${seed}-${round} --round-minutes ${seconds / 60} --${servers}`
const defaultRoundMinutes = (minutes: number): number =>
  Math.max(shortestMinutes, Math.min(longestRoundMinutes, minutes / 2, Math.max(1, minutes / 4)))

function amount(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= shortestMinutes && value <= 10_000) return value
  throw new Error(`--${name} must be a number of minutes, a quarter or more`)
}
