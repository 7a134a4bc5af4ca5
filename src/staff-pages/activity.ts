import { html } from 'ghtml'
import type { ChainOwner } from '../chains/append.ts'
import { dayOf } from '../ledger/entry.ts'
import { readDays, type Statement } from '../ledger/statement.ts'
import type { Deps } from '../platform/deps.ts'
import { businessPath } from './paths.ts'
import { type Column, table } from './table.ts'
import { groupDigits, money } from './words.ts'

const shownDays = 30
const dayMs = 86_400_000

/** What is shown of each day. The colours repeat what the titles say. */
const figures = [
  { title: 'Payments', colour: 'good', of: ({ payments }: Statement) => payments.count, format: groupDigits },
  { title: 'Amount paid', colour: 'good', of: ({ payments }: Statement) => payments.amount, format: money },
  { title: 'Refunds', colour: 'wait', of: ({ refunds }: Statement) => refunds.count, format: groupDigits },
  { title: 'Amount refunded', colour: 'wait', of: ({ refunds }: Statement) => refunds.amount, format: money },
] as const
type Figure = (typeof figures)[number]

/** Returns a day without its year, such as `5 Nov`. */
function shortDay(day: string): string {
  const text = new Date(day).toUTCString()
  return `${Number(text.slice(5, 7))} ${text.slice(8, 11)}`
}

/** Whether a page must show the sandbox. By default, it shows live mode. */
export const isSandboxShown = ({ query }: { query: Record<string, unknown> }): boolean =>
  query['environment'] === 'sandbox'

/** Returns a section with the booked payments and refunds of a business on each of the last 30 days. */
export async function activityCharts(
  deps: Pick<Deps, 'LedgerEntry' | 'batchers' | 'now'>,
  owner: ChainOwner,
): Promise<string> {
  const now = deps.now().getTime()
  const dates = Array.from({ length: shownDays }, (_, ago) => dayOf(new Date(now - ago * dayMs))).toReversed()
  const days = await readDays(deps, owner, dates)
  return html`<section aria-labelledby="activity">
    <h2 id="activity">Last ${shownDays} days</h2>
    !${environmentSwitch(owner)}
    <p>These are the figures of the ledger, by UTC day of booking. The last bar is today.</p>
    <div class="plots">!${figures.map((figure) => plot(figure, days))}</div>
    <details><summary>Show each day as a table</summary>
      !${table(columns, days.toReversed(), { label: 'Figures of each day', isTight: true })}
    </details>
  </section>`
}

function environmentSwitch({ businessId, sandbox }: ChainOwner): string {
  const link = (isSandbox: boolean, environment: string, name: string): string =>
    html`<a class="button" href="${businessPath(businessId)}?environment=${environment}#activity" !${isSandbox === sandbox ? 'aria-current="true"' : ''}>${name}</a>`
  return html`<nav class="switch" aria-label="Environment of the figures">!${link(false, 'live', 'Live')} !${link(true, 'sandbox', 'Sandbox')}</nav>`
}

const columns: Column<Statement>[] = [
  { title: 'Day', text: ({ day }) => shortDay(day) },
  ...figures.map(({ title, of, format }) => ({
    title,
    classes: 'number' as const,
    text: (day: Statement) => format(of(day)),
  })),
]

/** The width of a plot in SVG units, about the width of a phone screen in pixels. */
const width = 336
const height = 108
const ground = 84
/** The margin on both sides leaves space for the labels of the first and the last bar. */
const margin = 20

/** Each figure has its own chart, because in a shared one, a few refunds would be invisible next to many payments. */
function plot(figure: Figure, days: readonly Statement[]): string {
  const { title, colour, of, format } = figure
  const total = days.reduce((sum, day) => sum + of(day), 0)
  const max = Math.max(...days.map(of))
  return html`<figure class="card">
    <figcaption><b>${title}: ${format(total)}</b> <span class="faint">peak: ${format(max)} per day</span></figcaption>
    <svg viewBox="0 0 ${width} ${height}" class="${colour}" role="img" aria-label="${title} per day: ${format(total)} in total, at most ${format(max)} in one day.">
      <line class="axis" x1="0" x2="${width}" y1="${ground}" y2="${ground}" />
      !${days.map((day, index) => bar(figure, day, max, index))}
    </svg>
  </figure>`
}

function bar({ of, format }: Figure, statement: Statement, max: number, index: number): string {
  const step = (width - 2 * margin) / shownDays
  const middle = margin + (index + 0.5) * step
  const wide = step - 2
  const value = of(statement)
  // Any bar with a value above zero is at least 2 units tall, so that it stays visible.
  const tall = value === 0 ? 0 : Math.max(2, Math.round((value / max) * (ground - 4)))
  const day = shortDay(statement.day)
  return html`<rect x="${(middle - wide / 2).toFixed(1)}" y="${ground - tall}" width="${wide.toFixed(1)}" height="${tall}"><title>${day}: ${format(value)}</title></rect>
    !${(shownDays - 1 - index) % 7 === 0 ? tick(middle, day) : ''}`
}

const tick = (middle: number, label: string): string =>
  html`<line class="axis" x1="${middle.toFixed(1)}" x2="${middle.toFixed(1)}" y1="${ground}" y2="${ground + 5}" />
    <text x="${middle.toFixed(1)}" y="${height - 5}" text-anchor="middle">${label}</text>`
