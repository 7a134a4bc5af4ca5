import { html } from 'ghtml'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { lastDayOf } from '../../webhooks/endpoints/last-day.ts'
import { endpointBadge } from './badges.ts'
import { time } from './layout.ts'
import { endpointPath, userLink } from './paths.ts'
import { type Column, table } from './table.ts'
import { outcomeOf } from './words.ts'

/** Returns an endpoint's health as HTML. */
export function healthOf({ health }: TracedEndpoint): string {
  const { failuresInRow, lastError: stage, lastFailureAt, lastStatus: status, lastSuccessAt } = health
  const success = lastSuccessAt === null ? 'No successful delivery yet.' : html`Last success !${time(lastSuccessAt)}.`
  if (failuresInRow === 0 || lastFailureAt === null) return success
  const times = failuresInRow === 1 ? 'The last attempt failed' : `The last ${failuresInRow} attempts failed`
  const why = stage === null ? '' : html`: ${outcomeOf({ status, stage, error: null })}`
  return html`<b>${times}</b>, most recently at !${time(lastFailureAt)}!${why}. !${success}`
}

/** Returns how many of the attempts of the last 24 hours succeeded, and since when they fail if that was reported. */
export function lastDayText(endpoint: TracedEndpoint, now: Date): string {
  const { attempts, succeeded, successRate } = lastDayOf(endpoint, now)
  const since = endpoint.reportedFailure?.since
  const report =
    since === undefined ? '' : html` Failing since !${time(since)}, which was reported as endpoint.failing.`
  if (successRate === null) return html`No attempts.!${report}`
  const percent = Math.floor(successRate * 100)
  return html`${succeeded} of ${attempts} attempts succeeded (${percent} %).!${report}`
}

/** Returns a table of endpoints with their health. */
export const endpointsTable = (endpoints: readonly TracedEndpoint[]): string => table(columns, endpoints)

const columns: Column<TracedEndpoint>[] = [
  { title: 'Endpoint', classes: 'wide', html: ({ _id, url }) => userLink(endpointPath(_id), url) },
  { title: 'State', html: endpointBadge },
  { title: 'Health', html: healthOf },
]
