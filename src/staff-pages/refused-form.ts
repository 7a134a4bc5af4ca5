import type { Response } from 'express'
import { html } from 'ghtml'
import { addHeader } from '../http/pages/send-page.ts'
import type { Unproven } from '../staff/proof.ts'

/** Why a form is shown again. `fault` says what is wrong with a new password or code. */
export type RefusedForm = Unproven | { outcome: 'invalid'; fault: string }

/**
 * Returns the status and the message with which a form is shown again. If the client must wait, also sets
 * `Retry-After`. `wrong` is the message for a wrong secret.
 */
export function refusalOf(
  res: Response,
  result: RefusedForm,
  wrong: string,
): { status: number; error: string } {
  if (result.outcome === 'invalid') return { status: 400, error: result.fault }
  if (result.outcome === 'refused') return { status: 403, error: wrong }
  const seconds = result.outcome === 'wait' ? result.seconds : 2
  const why = result.outcome === 'wait' ? 'Too many attempts.' : 'Too many people are signing in now.'
  addHeader(res, 'Retry-After', seconds)
  return {
    status: result.outcome === 'wait' ? 429 : 503,
    error: `${why} Try again in ${waitInWords(seconds)}.`,
  }
}

const waitInWords = (seconds: number): string =>
  seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`

/** Returns the message above a form that is shown again. Returns an empty string if `error` is empty. */
export const errorNotice = (error: string): string =>
  error === '' ? '' : html`<p class="notice bad" role="alert">${error}</p>`

/** Returns a form with one button. `fields` is HTML. */
export const cardForm = (action: string, fields: string, button: string): string =>
  html`<form class="card stack" method="post" action="${action}">!${fields}<button class="main">${button}</button></form>`

/** Returns the fields for a new password that is typed twice. `fault` is why the password is not accepted, or empty. */
export const newPasswordFields = (fault = ''): string =>
  html`<div>
      <label for="password">New password</label>
      !${fault === '' ? '' : html`<p class="bad" id="password-fault">${fault}</p>`}
      <input id="password" name="password" type="password" autocomplete="new-password" !${fault === '' ? 'aria-describedby="rules"' : 'aria-describedby="password-fault rules" aria-invalid="true"'} required />
      <p id="rules" class="faint">At least 12 characters. For example, use several unrelated words.</p>
    </div>
    !${passwordField('again', 'New password again', 'new-password')}`

/** Returns the field for a password. `attributes` are more attributes of the input element. */
export const passwordField = (id: string, label: string, autocomplete: string, attributes = ''): string =>
  html`<div>
    <label for="${id}">${label}</label>
    <input id="${id}" name="${id}" type="password" autocomplete="${autocomplete}" required !${attributes} />
  </div>`

/** Returns the field for a code of an authenticator app or a recovery code. */
export const codeField = (id: string, label: string, hint: string): string =>
  html`<div>
    <label for="${id}">${label}</label>
    <input id="${id}" name="${id}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" aria-describedby="${id}-hint" required />
    <p id="${id}-hint" class="faint">${hint}</p>
  </div>`
