import type { ListStatementsQuery } from '../../schemas/list-statements.ts'
import { refuse } from '../errors.ts'
import { readInstant } from '../input/instant.ts'
import { dayOf } from './link.ts'

const firstDay = '2000-01-01'
const dayMs = 86_400_000

/** Parses a day from 2000 to today, such as `2026-11-26`. Throws VALIDATION_ERROR for anything else. */
export function parseDay({ now }: { now(): Date }, text: string): string {
  const isDay = text.length === firstDay.length && readInstant(text, 'start') !== null
  if (isDay && text >= firstDay && text <= dayOf(now())) return text
  throw notInRange('day', 'must be a day from 2000-01-01 to today in UTC, such as 2026-11-26.')
}

/** Returns the month of a validated query. By default, this is the current month. Throws if it is in the future. */
export function parseMonth({ now }: { now(): Date }, { month }: ListStatementsQuery): string {
  const current = monthOf(dayOf(now()))
  if (month === undefined || month <= current) return month ?? current
  throw notInRange('month', 'must not be later than the current month in UTC.')
}

/** Returns the days of a month up to today, oldest first. */
export function daysOf(month: string, now: Date): string[] {
  const days: string[] = []
  for (let at = Date.parse(`${month}-01`); at <= now.getTime(); at += dayMs) {
    const day = dayOf(new Date(at))
    if (monthOf(day) !== month) break
    days.push(day)
  }
  return days
}

const monthOf = (day: string): string => day.slice(0, 7)

const notInRange = (param: string, message: string) =>
  refuse('VALIDATION_ERROR', { param, message: `${param} ${message}` })
