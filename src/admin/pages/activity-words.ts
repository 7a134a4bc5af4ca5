import type { Figures, PaymentFigures } from '../../activity/activity-hour.ts'
import type { Slice } from '../../activity/read.ts'
import { groupDigits, money } from './words.ts'

/** How a figure is shown. The colours repeat what the titles say. */
interface Figure {
  title: string
  colour: 'good' | 'wait' | 'bad'
  format(value: number): string
}

/** All figures, in the order in which pages show them. */
export const figures = {
  payments: { title: 'Payments', colour: 'good', format: groupDigits },
  amountPaid: { title: 'Amount paid', colour: 'good', format: money },
  failures: { title: 'Failed payments', colour: 'bad', format: groupDigits },
  refunds: { title: 'Refunds', colour: 'wait', format: groupDigits },
  amountRefunded: { title: 'Amount refunded', colour: 'wait', format: money },
  delivered: { title: 'Webhooks delivered', colour: 'good', format: groupDigits },
  retrying: { title: 'Webhooks to be retried', colour: 'wait', format: groupDigits },
  dead: { title: 'Webhooks dead', colour: 'bad', format: groupDigits },
} as const satisfies Record<keyof Figures, Figure>

export type FigureName = keyof typeof figures
export const figureNames = Object.keys(figures) as FigureName[]

/** The figures that workers count from entries. The others are added up as attempts end. */
const countedFromEntries: readonly string[] = [
  'payments',
  'amountPaid',
  'failures',
  'refunds',
  'amountRefunded',
] satisfies (keyof PaymentFigures)[]

/** Returns whether a figure may be too low, because an hour that has ended is not completely counted. */
export const mayBeTooLow = (slice: Slice, name: FigureName): boolean =>
  slice.isIncomplete && countedFromEntries.includes(name)

/** Formats a figure of a slice. A star marks a figure that is not completely counted. */
export const valueOf = (slice: Slice, name: FigureName): string =>
  `${figures[name].format(slice[name])}${mayBeTooLow(slice, name) ? '\u00A0*' : ''}`
