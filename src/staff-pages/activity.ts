import { html } from 'ghtml'
import type { ChainOwner } from '../chains/append.ts'
import { readDayStatements, type Statement } from '../ledger/statement.ts'
import type { Deps } from '../platform/deps.ts'
import { dayMs, toUtcDay } from '../platform/time.ts'
import type { PageField } from '../staff-acts/shown.ts'
import { formatMoney, groupDigits } from './format.ts'
import { businessPath } from './paths.ts'
import { renderTable } from './table.ts'

const shownDays = 30

interface Figure {
  label: string
  colour: 'good' | 'wait'
  unit: 'count' | 'money'
  value(day: Statement): number
}
const figures: Figure[] = [
  { label: 'Payments', colour: 'good', unit: 'count', value: ({ payments }) => payments.count },
  { label: 'Amount paid', colour: 'good', unit: 'money', value: ({ payments }) => payments.amount },
  { label: 'Refunds', colour: 'wait', unit: 'count', value: ({ refunds }) => refunds.count },
  { label: 'Amount refunded', colour: 'wait', unit: 'money', value: ({ refunds }) => refunds.amount },
]
const formats = { count: groupDigits, money: formatMoney }

function shortDay(day: string) {
  const text = new Date(day).toUTCString()
  return `${Number(text.slice(5, 7))} ${text.slice(8, 11)}`
}

export const isSandboxShown = ({ environment }: Readonly<Record<string, unknown>>): boolean =>
  environment === 'sandbox'

export async function activityCharts(
  deps: Pick<Deps, 'LedgerEntry' | 'batchers' | 'now'>,
  owner: ChainOwner,
) {
  const now = deps.now().getTime()
  const dates = Array.from({ length: shownDays }, (_, ago) =>
    toUtcDay(new Date(now - ago * dayMs)),
  ).toReversed()
  const days = await readDayStatements(deps, owner, dates)
  return html`<section aria-labelledby="activity">
    <h2 id="activity">Last ${shownDays} days</h2>
    !${environmentSwitch(owner)}
    <p>Ledger figures by UTC booking day. The last bar is today.</p>
    <div class="plots">!${figures.map((figure) => plot(figure, days))}</div>
    <details><summary>Show each day as a table</summary>
      !${renderTable(columns, days.toReversed(), { label: 'Daily figures', isTight: true })}
    </details>
  </section>`
}

function environmentSwitch({ businessId, sandbox }: ChainOwner) {
  const link = (isSandbox: boolean, environment: string, name: string) =>
    html`<a class="button" href="${businessPath(businessId)}?environment=${environment}#activity" !${isSandbox === sandbox ? 'aria-current="true"' : ''}>${name}</a>`
  return html`<nav class="switch" aria-label="Environment of the figures">!${link(false, 'live', 'Live')} !${link(true, 'sandbox', 'Sandbox')}</nav>`
}

const columns: PageField<Statement>[] = [{ label: 'Day', value: ({ day }) => shortDay(day) }, ...figures]

/** Sizes are in SVG units. A chart is about as wide as a phone. */
const width = 336
const height = 108
const ground = 84
const margin = 20

/** In one chart, a few refunds would be invisible next to many payments. */
function plot(figure: Figure, days: readonly Statement[]) {
  const { label, colour, unit, value } = figure
  const format = formats[unit]
  const total = days.reduce((sum, day) => sum + value(day), 0)
  const max = Math.max(...days.map(value))
  return html`<figure class="card">
    <figcaption><b>${label}: ${format(total)}</b> <span class="faint">peak: ${format(max)} per day</span></figcaption>
    <svg viewBox="0 0 ${width} ${height}" class="${colour}" role="img" aria-label="${label} per day: ${format(total)} in total, at most ${format(max)} in one day.">
      <line class="axis" x1="0" x2="${width}" y1="${ground}" y2="${ground}" />
      !${days.map((day, index) => bar(figure, day, max, index))}
    </svg>
  </figure>`
}

function bar({ unit, value: valueOf }: Figure, statement: Statement, max: number, index: number) {
  const step = (width - 2 * margin) / shownDays
  const middle = margin + (index + 0.5) * step
  const wide = step - 2
  const value = valueOf(statement)
  const tall = value === 0 ? 0 : Math.max(2, Math.round((value / max) * (ground - 4)))
  const day = shortDay(statement.day)
  return html`<rect x="${(middle - wide / 2).toFixed(1)}" y="${ground - tall}" width="${wide.toFixed(1)}" height="${tall}"><title>${day}: ${formats[unit](value)}</title></rect>
    !${(shownDays - 1 - index) % 7 === 0 ? tick(middle, day) : ''}`
}

const tick = (middle: number, label: string) =>
  html`<line class="axis" x1="${middle.toFixed(1)}" x2="${middle.toFixed(1)}" y1="${ground}" y2="${ground + 5}" />
    <text x="${middle.toFixed(1)}" y="${height - 5}" text-anchor="middle">${label}</text>`
