import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, hasFormMessages, renderHiddenInput, titleOfForm } from '../http/pages/forms.ts'
import type { RightName } from '../people/rights.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from './frame.ts'
import { frameLocaleOf } from './locale.ts'
import { serveVisit, type VisitResult } from './serve.ts'
import { formKey, type Visit } from './visit.ts'

export type Faults = Readonly<Record<string, string>>

/** All but the title are HTML or texts of the page's language. */
interface ShownForm {
  title: string
  /** HTML between the title and the form. */
  about?: string
  /** HTML. */
  fields?: string
  button: string
  busy: string
  isDanger?: true
}

/** On a page of its own, to which it's also posted. */
export interface FormPage<Found> {
  right: RightName | ((visit: Visit) => RightName)
  path: string
  isSlow?: true
  /** The path of the page to go back to. Without it, the first part of `path`. */
  back?(visit: Visit, found: Found): string
  find(visit: Visit): Promise<Found | null>
  show(visit: Visit, found: Found, faults: Faults): ShownForm
  /** `keyOf` makes an idempotency key, so that a form sent twice acts once. `done` leads back, and `success` is HTML above the form. */
  act(
    visit: Visit,
    found: Found,
    keyOf: KeyOf,
  ): Promise<VisitResult | FormMessages | { done: unknown } | { success: string }>
  /** Null if the person can't mend it on the form. */
  messagesOf?(visit: Visit, refusal: Refusal): FormMessages | null
}

type KeyOf = (...values: readonly unknown[]) => string

export function addForm<Found>(router: Router, form: FormPage<Found>): void {
  const { right, path, isSlow = false, find, show, act } = form
  const backOf = (visit: Visit, found: Found | null): string =>
    (found && form.back?.(visit, found)) ?? `${visit.base}/${path.split('/')[1]}`
  const page = (
    visit: Visit,
    found: Found,
    messages: FormMessages = {},
    status = 400,
    success = '',
  ): PersonPage => {
    const { req, res, member, base } = visit
    const locale = frameLocaleOf(res)
    const {
      title,
      about = '',
      fields = '',
      button,
      busy,
      isDanger,
    } = show(visit, found, messages.faults ?? {})
    const submit = html`<button class="!${isDanger ? 'danger' : ''}">${button}</button>`
    const all = renderHiddenInput('form', newId()) + fields
    const body = html`<h1>${title}</h1>!${errorSummaryOf(res, messages, locale.words.notDone)}!${success}!${about}
!${renderPostForm(member.person, req.baseUrl + req.path, all, submit, busy)}!${linkBack(visit, backOf(visit, found))}`
    const current = `${base}/${path.split('/')[1]}`
    const hasFailed = hasFormMessages(messages)
    return {
      status: hasFailed ? status : 200,
      title: titleOfForm(locale, title, messages),
      body,
      current,
      isNarrow: true,
    }
  }
  const get = async (visit: Visit) => {
    const found = await find(visit)
    return found && page(visit, found)
  }
  // Whoever submits a form twice goes back to the list, which lacks what the first one took away.
  const post = async (visit: Visit): Promise<VisitResult> => {
    const found = await find(visit)
    if (found === null) return { to: backOf(visit, null) }
    const { form: id } = readFormFields(visit.req, 'form')
    try {
      const result = await act(visit, found, (...values) => formKey(visit, id, path, ...values))
      if (result === null || result === 'sent' || 'to' in result || 'body' in result) return result
      if ('success' in result) return page(visit, found, {}, 200, result.success)
      return 'done' in result ? { to: backOf(visit, found) } : page(visit, found, result)
    } catch (error) {
      const messages = error instanceof Refusal ? form.messagesOf?.(visit, error) : null
      if (!messages) throw error
      return page(visit, found, messages, (error as Refusal).statusCode)
    }
  }
  router.get(path, serveVisit(right, get))
  router.post(path, serveVisit(right, post, { isSlow }))
}

export const linkBack = ({ res }: Visit, path: string): string =>
  html`<p><a href="${path}">${frameLocaleOf(res).words.back}</a></p>`
