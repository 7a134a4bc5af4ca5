import { html } from 'ghtml'
import { byCaller } from '../businesses/caller.ts'
import { withAuditQuota } from '../businesses/quotas.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { readFor } from '../http/operations/run-for.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import type { TableColumn } from '../http/pages/table.ts'
import { PeopleRefusedError } from '../people/change-people.ts'
import type { RightName } from '../people/rights.ts'
import { linkBack } from '../people-pages/form.ts'
import type { PersonPage } from '../people-pages/frame.ts'
import { createPersonLocales } from '../people-pages/locale.ts'
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

/** What was typed, or the defaults if the form is new. */
export const typedOr = <Fields extends Record<string, string>>({ req }: Visit, defaults: Fields) =>
  (isSafeMethod(req) ? defaults : readFormFields(req, ...Object.keys(defaults))) as Fields

/** Links for those who have the right, by paths that continue the list's. */
export const actionColumn = <Item>(
  visit: Visit,
  right: RightName,
  list: string,
  linksOf: (item: Item) => Readonly<Record<string, string>>,
): TableColumn<Item>[] => {
  const link = ([path, text]: [string, string]) => html`<a href="${visit.base}${list}/${path}">${text}</a>`
  const links = (item: Item) => Object.entries(linksOf(item)).map(link).join(' ')
  return hasRight(visit, right) ? [[settingsLocaleOf(visit.res).words.actions, links, 'action']] : []
}

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
!${more}!${linkBack(visit, current)}`
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
