import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { lookUpBusinesses } from '../../businesses/list-businesses.ts'
import type { Deps } from '../../deps.ts'
import { formFields } from '../../http/body/read-form.ts'
import { redirectTo } from '../../http/pages/send-page.ts'
import { readName } from '../../input/name.ts'
import { countBacklog } from '../../webhooks/deliveries/backlog.ts'
import { shownDeadMs } from '../../webhooks/deliveries/dead-in.ts'
import { byStaff } from '../pages/guards.ts'
import { sendNotice, sendStaffPage, staffOf } from '../pages/respond.ts'
import { atMost, userText } from '../pages/words.ts'
import { findByAmount, readAmountFields } from './by-amount.ts'
import { resultList } from './results.ts'
import { type Group, minPartLength, runFinders } from './run-finders.ts'
import { type AmountFields, maxQueryLength, searchForms } from './search-forms.ts'

const dayMs = 86_400_000

/** Handles GET requests for the start page, which has the search forms. */
export const searchPage = (deps: Deps) => async (_req: Request, res: Response) => {
  const { due, waiting, dead } = await countBacklog(deps)
  const body = html`<h1>Search</h1>
    !${searchForms(staffOf(res), '', null)}
    <h2>Webhooks now</h2>
    <dl class="facts card">
      <dt>Due now</dt><dd>${atMost(due)}</dd>
      <dt>Waiting for the next attempt</dt><dd>${atMost(waiting)}</dd>
      <dt>Dead in the last ${shownDeadMs / dayMs} days</dt><dd>${atMost(dead)} <a href="/admin/dead">by business and endpoint</a></dd>
    </dl>`
  sendStaffPage(res, { title: 'Search', current: '/admin' }, body)
}

/**
 * Handles POST requests of the search form. Redirects to the page of the only result, or lists all results. All staff
 * may search, also by phone number, because each search by phone number is in the audit trail.
 */
export const searchByText = (deps: Deps) => async (req: Request, res: Response) => {
  const { q } = formFields(req, 'q')
  const query = (readName('name', q) ?? q.trim()).slice(0, maxQueryLength)
  if (query === '') return redirectTo(res, '/admin')
  const results = await runFinders(deps, query, byStaff(req, res, null))
  if ('waitMs' in results) {
    const minutes = Math.ceil(results.waitMs / 60_000)
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
    const sentence = `You have made too many searches by phone number. Wait ${wait}, or search for something else.`
    return sendNotice(res, 429, 'Too many searches', sentence)
  }
  const { groups, isPrivate, whyNoHit } = results
  await sendResults(deps, res, groups, { query: isPrivate ? '' : query, by: null, whyNoHit })
}

/** Handles POST requests of the form that searches by business, amount and day. */
export const searchByAmountAndDay = (deps: Deps) => async (req: Request, res: Response) => {
  const by = formFields(req, 'business', 'amount', 'day')
  const group = await findByAmount(deps, readAmountFields(by))
  await sendResults(deps, res, group.hits.length === 0 ? [] : [group], { query: '', by, whyNoHit: null })
}

async function sendResults(
  deps: Deps,
  res: Response,
  groups: Group[],
  { query, by, whyNoHit }: { query: string; by: AmountFields | null; whyNoHit: string | null },
): Promise<void> {
  const hits = groups.flatMap((group) => group.hits)
  const [only, ...others] = hits
  if (only !== undefined && others.length === 0) return redirectTo(res, only.path)
  const ids = hits.flatMap(({ intent }) => (intent === null ? [] : [intent.businessId]))
  const businesses = await lookUpBusinesses(deps, [...new Set(ids)])
  const body = html`<h1>Search</h1>
    !${searchForms(staffOf(res), query, by)}
    !${hits.length === 0 ? nothing(query, whyNoHit) : resultList(groups, businesses)}`
  sendStaffPage(res, { title: 'Search', current: '/admin' }, body)
}

const nothing = (query: string, whyNoHit: string | null): string =>
  html`<p class="notice" role="status">Nothing was found!${query === '' ? '' : html` for <b>!${userText(query)}</b>`}. ${whyNoHit ?? searchHint}</p>`

const searchHint = `Enter a whole reference, code, phone number or id, or at least ${minPartLength} characters of the name of a business. A payment code is found for three days after its last use. Old test data is deleted.`
