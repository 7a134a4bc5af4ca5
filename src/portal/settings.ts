import type { Router } from 'express'
import { html } from 'ghtml'
import { byCaller } from '../businesses/caller.ts'
import { withAuditQuota } from '../businesses/quotas.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { readFor } from '../http/operations/run-for.ts'
import { type FormMessages, hasFormMessages, titleOfForm } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import type { TableColumn } from '../http/pages/table.ts'
import { PeopleRefusedError } from '../people/change-people.ts'
import type { RightName } from '../people/rights.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from '../people-pages/frame.ts'
import { createPersonLocales } from '../people-pages/locale.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { hasRight, type Visit } from '../people-pages/visit.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import type { Author } from '../security/actor.ts'
import { arabicSettingsTexts } from './words/settings/ar.ts'
import { englishSettingsTexts } from './words/settings/en.ts'
import { frenchSettingsTexts } from './words/settings/fr.ts'

/** For keys, people, limits and what happened. */
export const settingsLocaleOf = createPersonLocales({
  fr: frenchSettingsTexts,
  ar: arabicSettingsTexts,
  en: englishSettingsTexts,
})

/** Within the limits of the API's lists, but dates stay dates. */
export async function readOwn<Data>(
  { deps, res, caller }: Visit,
  query: (deps: Deps) => Promise<Data>,
): Promise<Data> {
  const found: Data[] = []
  await readFor(deps, res, caller, {
    scope: 'payments.intents:read',
    shows: 'intent',
    needsQuery: true,
    run: async (reading) => ({ found: found.push(await query(reading)) }),
  })
  return found[0] as Data
}

export const queryText = ({ req }: Visit, name: string): string => {
  const value = req.query[name]
  return typeof value === 'string' ? value : ''
}

/** What was typed, or the defaults if the form is new. */
export const typedOr = <Fields extends Record<string, string>>({ req }: Visit, defaults: Fields) =>
  (isSafeMethod(req) ? defaults : readFormFields(req, ...Object.keys(defaults))) as Fields

/** On a page of its own, to which it's also posted. */
export interface OwnForm<Found> {
  right: RightName | ((visit: Visit) => RightName)
  /** Starts with the path of the list to go back to. */
  path: string
  find(visit: Visit): Promise<Found | null>
  show(
    visit: Visit,
    found: Found,
    faults: Readonly<Record<string, string>>,
  ): { title: string; fields: string; button: string; busy: string; isDanger?: true }
  act(visit: Visit, found: Found): Promise<PersonPage | FormMessages | { done: unknown }>
}

export function addForm<Found>(router: Router, { right, path, find, show, act }: OwnForm<Found>): void {
  const pathOfList = ({ base }: Visit) => `${base}/${path.split('/')[1]}`
  const page = (visit: Visit, found: Found, messages: FormMessages = {}): PersonPage => {
    const { req, res, member } = visit
    const locale = settingsLocaleOf(res)
    const { title, fields, button, busy, isDanger } = show(visit, found, messages.faults ?? {})
    const submit = html`<button class="!${isDanger ? 'danger' : ''}">${button}</button>`
    const body = html`<h1>${title}</h1>!${errorSummaryOf(res, messages, locale.words.notDone)}
!${renderPostForm(member.person, req.baseUrl + req.path, fields, submit, busy)}!${backTo(visit, pathOfList(visit))}`
    const status = hasFormMessages(messages) ? 400 : 200
    const current = pathOfList(visit)
    return { status, title: titleOfForm(locale, title, messages), body, current, isNarrow: true }
  }
  const get = async (visit: Visit) => {
    const found = await find(visit)
    return found && page(visit, found)
  }
  // Whoever submits a form twice sees the list without what the first one took away.
  const post = async (visit: Visit): Promise<VisitResult> => {
    const found = await find(visit)
    const result = found && (await act(visit, found))
    if (result === null || 'done' in result) return { to: pathOfList(visit) }
    return 'body' in result ? result : page(visit, found as Found, result)
  }
  router.get(path, serveVisit(right, get))
  router.post(path, serveVisit(right, post))
}

/** Only for those who have the right. */
export const actionColumn = <Item>(
  visit: Visit,
  right: RightName,
  render: (item: Item) => string,
): TableColumn<Item>[] => {
  const label = settingsLocaleOf(visit.res).words.actions
  return hasRight(visit, right) ? [{ label, isAction: true, html: render }] : []
}

const backTo = ({ res }: Visit, path: string) =>
  html`<p><a href="${path}">${settingsLocaleOf(res).words.back}</a></p>`

interface Note {
  title: string
  notice: string
  /** HTML below the notice. */
  more?: string
  list: string
  status?: number
}

/** What a form did, e.g. with a secret that is shown once. */
export function notePage(visit: Visit, { title, notice, more = '', list, status = 200 }: Note): PersonPage {
  const [kind, role] = status === 200 ? ['good', 'status'] : ['wait', 'alert']
  const current = visit.base + list
  const body = html`<h1>${title}</h1><p class="notice ${kind}" role="${role}">${notice}</p>
!${more}!${backTo(visit, current)}`
  return { status, title, body, current, isNarrow: true }
}

export const secretText = (text: string): string => html`<pre class="card secret" dir="ltr">${text}</pre>`

/** `notice` says why nothing was done, for people. */
export type ActResult<Done> = { done: Done } | { notice: string }

/** Each line of the audit trail counts, because lines are kept forever. */
export async function runOwnAct<Done>(
  { deps, caller, res }: Visit,
  act: (by: Author) => Promise<Done>,
  addsLine: (done: Done) => boolean = () => true,
): Promise<ActResult<Done>> {
  const { usedUp, peopleRefusals } = settingsLocaleOf(res).words
  const run = async (): Promise<ActResult<Done>> => {
    try {
      return { done: await act(byCaller(caller)) }
    } catch (error) {
      if (error instanceof PeopleRefusedError) return { notice: peopleRefusals[error.why] }
      throw error
    }
  }
  try {
    return await withAuditQuota(deps, caller, run, (result) => 'done' in result && addsLine(result.done))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') return { notice: usedUp }
    throw error
  }
}
