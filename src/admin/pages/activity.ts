import { html } from 'ghtml'
import type { FiguresOwner } from '../../activity/activity-hour.ts'
import { readActivity, type Slice, sum } from '../../activity/read.ts'
import type { Deps } from '../../deps.ts'
import { figureNames, figures, mayBeTooLow, valueOf } from './activity-words.ts'
import { time } from './layout.ts'
import { businessPath } from './paths.ts'
import { plots, type Scale } from './plots.ts'

/** Returns whether a page must show the figures of the sandbox. By default, it shows the live figures. */
export const isSandboxShown = ({ query }: { query: Record<string, unknown> }): boolean =>
  query['environment'] === 'sandbox'

const clock = ({ start }: Slice): string => start.toISOString().slice(11, 16)
/** Returns the day and month in UTC, such as `5 Nov`. A text such as `Thu, 05 Nov 2026 12:00:00 GMT` contains both. */
function day({ start }: Slice): string {
  const text = start.toUTCString()
  return `${Number(text.slice(5, 7))} ${text.slice(8, 11)}`
}

const hourScale: Scale = {
  unit: 'hour',
  nameOf: (slice) => `${day(slice)} ${clock(slice)}`,
  labelOf: (slice) => (slice.start.getUTCHours() % 6 === 0 ? clock(slice) : null),
}
const dayScale: Scale = {
  unit: 'day',
  nameOf: day,
  labelOf: (slice, index, bars) => ((bars - 1 - index) % 7 === 0 ? day(slice) : null),
}

/**
 * Returns a section with the payments, refunds and deliveries of the last 24 hours and the last 30 days, as figures and
 * as charts. `owner` is one business, or all of them if its `businessId` is null. Live and sandbox figures are never
 * added together.
 */
export async function activityCharts(
  deps: Pick<Deps, 'ActivityHour' | 'ActivityCount' | 'now'>,
  owner: FiguresOwner,
): Promise<string> {
  const { hours, days, countedAt } = await readActivity(deps, owner)
  const [ofHours, ofDays] = [sum(hours), sum(days)]
  return html`<section aria-labelledby="activity">
    <h2 id="activity">Activity</h2>
    !${environmentSwitch(owner)}
    <p>!${freshness(countedAt)}</p>
    !${totals(owner, ofHours, ofDays)}
    !${mayBeTooLow(ofDays, 'payments') ? html`<p>* Not completely counted yet. The figure may be too low.</p>` : ''}
    <h3>Last ${hours.length} hours</h3>
    !${plots(hours, ofHours, hourScale)}
    !${table(hours, 'Hour', hourScale)}
    <h3>Last ${days.length} days</h3>
    !${plots(days, ofDays, dayScale)}
    !${table(days, 'Day', dayScale)}
  </section>`
}

const freshness = (countedAt: Date | null): string =>
  countedAt === null
    ? 'No worker has counted the payments of the last hour yet. Times are UTC.'
    : html`Payments and refunds are counted every minute, most recently at !${time(countedAt)}. The last bar is the current hour or day. Times are UTC.`

function environmentSwitch({ businessId, sandbox }: FiguresOwner): string {
  const path = businessId === null ? '/admin' : businessPath(businessId)
  const link = (isSandbox: boolean, environment: string, name: string): string =>
    html`<a class="button" href="${path}?environment=${environment}#activity" !${isSandbox === sandbox ? 'aria-current="true"' : ''}>${name}</a>`
  return html`<nav class="switch" aria-label="Environment of the figures">!${link(false, 'live', 'Live')} !${link(true, 'sandbox', 'Sandbox')}</nav>`
}

const totals = ({ businessId, sandbox }: FiguresOwner, ofHours: Slice, ofDays: Slice): string =>
  html`<div class="scroll totals">
    <table class="totals">
      <caption>${sandbox ? 'Sandbox' : 'Live'} figures of ${businessId === null ? 'all businesses' : 'this business'}</caption>
      <thead><tr><th scope="col">Figure</th><th scope="col" class="number">24 hours</th><th scope="col" class="number">30 days</th></tr></thead>
      <tbody>!${figureNames.map(
        (name) =>
          html`<tr><th scope="row">${figures[name].title}</th><td class="number">${valueOf(ofHours, name)}</td><td class="number">${valueOf(ofDays, name)}</td></tr>`,
      )}</tbody>
    </table>
  </div>`

/** Returns a table of slices, latest first. The table is wider than a phone, so the keyboard can scroll it. */
const table = (slices: readonly Slice[], unit: string, { nameOf }: Scale): string =>
  html`<details><summary>Show each ${unit.toLowerCase()} as a table</summary>
    <div class="scroll" role="region" tabindex="0" aria-label="Figures of each ${unit.toLowerCase()}">
      <table class="slices">
        <thead><tr><th scope="col">${unit}</th>!${figureNames.map((name) => html`<th scope="col" class="number">${figures[name].title}</th>`)}</tr></thead>
        <tbody>!${slices
          .toReversed()
          .map(
            (slice) =>
              html`<tr><th scope="row">${nameOf(slice)}</th>!${figureNames.map((name) => html`<td class="number">${valueOf(slice, name)}</td>`)}</tr>`,
          )}</tbody>
      </table>
    </div></details>`
