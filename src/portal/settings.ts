import { html } from 'ghtml'
import { byCaller } from '../businesses/caller.ts'
import { withAuditQuota } from '../businesses/quotas.ts'
import { readFor } from '../http/operations/run-for.ts'
import { type FormMessages, hasFormMessages, titleOfForm } from '../http/pages/forms.ts'
import { PeopleRefusedError } from '../people/change-people.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from '../people-pages/frame.ts'
import { createPersonLocales } from '../people-pages/locale.ts'
import type { Visit } from '../people-pages/visit.ts'
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

export interface FormPage {
  /** Below the pages of the business, e.g. `/keys/new/secret`. */
  path: string
  title: string
  fields: string
  button: string
  busy: string
  isDanger?: boolean
  /** The list to go back to. */
  list: string
}

/** A form on a page of its own. With messages, what was typed wasn't accepted. */
export function formPage(
  { base, member, res }: Visit,
  { path, title, fields, button, busy, isDanger = false, list }: FormPage,
  messages: FormMessages = {},
): PersonPage {
  const locale = settingsLocaleOf(res)
  const { notDone, back } = locale.words
  const submit = html`<button class="!${isDanger ? 'danger' : ''}">${button}</button>`
  const body = html`<h1>${title}</h1>!${errorSummaryOf(res, messages, notDone)}
!${renderPostForm(member.person, base + path, fields, submit, busy)}<p><a href="${base}${list}">${back}</a></p>`
  const status = hasFormMessages(messages) ? 400 : 200
  const current = base + list
  return { status, title: titleOfForm(locale, title, messages), body, current, isNarrow: true }
}

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
    const isUsedUp = error instanceof Refusal && error.code === 'RATE_LIMITED'
    if (isUsedUp) return { notice: usedUp }
    throw error
  }
}
