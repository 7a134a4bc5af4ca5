import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, renderHiddenInput, titleOfForm } from '../http/pages/forms.ts'
import { asRefusal } from '../http/server/bare-app.ts'
import type { RightName } from '../people/rights.ts'
import type { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from './frame.ts'
import { frameLocaleOf } from './locale.ts'
import { serveVisit, type VisitResult } from './serve.ts'
import { formKey, hasRight, type Visit } from './visit.ts'

export type Faults = Readonly<Record<string, string>>

/** All but the title are HTML or texts of the page's language. */
interface ShownForm {
  title: string
  /** HTML between the title and the form. */
  about?: string
  /** HTML. */
  fields?: string
  /** Without it, there's nothing to submit. */
  button?: string | false
  busy?: string
  isDanger?: true
  /** HTML below the form. */
  more?: string
  isWide?: true
}

/** `title` stands above the notice. `isUnknown`: submitting the same form again tells whether the act happened. */
export type FormOutcome = FormMessages & { title?: string; isUnknown?: true }

/** A page that is also the address of its form. */
export interface FormPage<Found> {
  right: RightName | ((visit: Visit) => RightName)
  /** If the page shows more than the form. Without `right`, it comes without the form. */
  readRight?: RightName
  path: string
  isSlow?: true
  /** The path of the page to go back to. Without it, the first part of `path`. */
  back?(visit: Visit, found: Found): string
  find(visit: Visit): Promise<Found | null>
  show(visit: Visit, found: Found, faults: Faults, isUnknown: boolean): ShownForm
  /** With a key of `keyOf`, a form sent twice acts once. `done` leads back, and `success` is HTML above the form. */
  act(
    visit: Visit,
    found: Found,
    keyOf: KeyOf,
  ): Promise<VisitResult | FormMessages | { done: unknown } | { success: string }>
  /** Null if the person can't mend it on the form. */
  messagesOf?(visit: Visit, refusal: Refusal): FormOutcome | null
}

type KeyOf = (...values: readonly unknown[]) => string

export function addForm<Found>(router: Router, form: FormPage<Found>): void {
  const { right, readRight = right, path, isSlow = false, find, show, act } = form
  const first = path.split('/')[1]
  const backOf = (visit: Visit, found: Found | null): string =>
    (found && form.back?.(visit, found)) ?? `${visit.base}/${first}`

  function page(
    visit: Visit,
    found: Found,
    outcome: FormOutcome = {},
    id = newId(),
    success = '',
  ): PersonPage {
    const { req, res, member, base } = visit
    const locale = frameLocaleOf(res)
    const shown = show(visit, found, outcome.faults ?? {}, outcome.isUnknown === true)
    const { title, about = '', fields = '', button = false, busy = '', isDanger, more = '', isWide } = shown
    const mayAct = button !== false && hasRight(visit, typeof right === 'string' ? right : right(visit))
    const submit = html`<button class="!${isDanger ? 'danger' : ''}">${button}</button>`
    const all = renderHiddenInput('form', id) + fields
    const body = html`!${errorSummaryOf(res, outcome, outcome.title ?? locale.words.notDone)}<h1>${title}</h1>!${success}!${about}
!${mayAct ? renderPostForm(member.person, req.baseUrl + req.path, all, submit, busy) : ''}!${more}!${linkBack(visit, backOf(visit, found))}`
    const current = `${base}/${first}`
    return { title: titleOfForm(locale, title, outcome), body, current, isNarrow: isWide === undefined }
  }

  async function get(visit: Visit): Promise<VisitResult> {
    const found = await find(visit)
    return found && page(visit, found)
  }

  // Whoever submits a form twice goes back to the list, which lacks what the first one took away.
  async function post(visit: Visit): Promise<VisitResult> {
    const found = await find(visit)
    if (found === null) return { to: backOf(visit, null) }
    const { form: id } = readFormFields(visit.req, 'form')
    const again = async (outcome: FormOutcome, status: number, success = '') => ({
      ...page(
        visit,
        (await find(visit).catch(() => null)) ?? found,
        outcome,
        outcome.isUnknown ? id : newId(),
        success,
      ),
      status,
    })
    try {
      const result = await act(visit, found, (...values) => formKey(visit, id, path, ...values))
      if (result === null || result === 'sent' || 'to' in result || 'body' in result) return result
      if ('success' in result) return await again({}, 200, result.success)
      return 'done' in result ? { to: backOf(visit, found) } : await again(result, 400)
    } catch (error) {
      const refusal = asRefusal(error)
      const outcome = form.messagesOf?.(visit, refusal)
      if (!outcome) throw error
      return again(outcome, refusal.statusCode)
    }
  }

  router.get(path, serveVisit(readRight, get))
  router.post(path, serveVisit(right, post, { isSlow }))
}

export const linkBack = ({ res }: Visit, path: string): string =>
  html`<p><a href="${path}">${frameLocaleOf(res).words.back}</a></p>`
