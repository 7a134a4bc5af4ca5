import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { type Backlog, countBacklog } from '../../webhooks/deliveries/backlog.ts'
import { shownDeadMs } from '../../webhooks/deliveries/dead-in.ts'
import { searchForms } from '../search/search-forms.ts'
import { staffOf } from './guards.ts'
import { page } from './layout.ts'
import { atMost } from './words.ts'

const dayMs = 86_400_000

/** Handles GET requests for the start page, which has the search forms. */
export const searchPage = (deps: Deps) => async (_req: Request, res: Response) => {
  const backlog = await countBacklog(deps)
  const staff = staffOf(res)
  const body = html`<h1>Search</h1>
    !${searchForms(staff, '', null)}
    <h2>Webhooks now</h2>
    !${backlogFacts(backlog)}`
  sendPage(res, 200, page({ title: 'Search', staff, current: '/admin' }, body))
}

const backlogFacts = ({ due, waiting, dead }: Backlog): string =>
  html`<dl class="facts card">
    <dt>Due now</dt><dd>${atMost(due)}</dd>
    <dt>Waiting for the next attempt</dt><dd>${atMost(waiting)}</dd>
    <dt>Dead in the last ${shownDeadMs / dayMs} days</dt><dd>${atMost(dead)} <a href="/admin/dead">by business and endpoint</a></dd>
  </dl>`
