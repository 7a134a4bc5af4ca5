import type { Response } from 'express'
import { html } from 'ghtml'
import type { IdentityProofFailure } from '../accounts/proof.ts'
import { inputField } from '../http/pages/forms.ts'
import { addHeader } from '../http/pages/send-page.ts'

/** `fault` says what's wrong with the new password or code. */
export type RefusedForm = IdentityProofFailure | { outcome: 'invalid'; fault: string }

/** `wrong` is the message for a wrong secret. */
export function explainRefusal(res: Response, result: RefusedForm, wrong: string) {
  if (result.outcome === 'invalid') return { status: 400, error: result.fault }
  if (result.outcome === 'refused') return { status: 403, error: wrong }
  const [status, why, seconds] =
    result.outcome === 'wait'
      ? [429, 'Too many attempts.', result.seconds]
      : [503, 'Too many people are signing in right now.', 2]
  addHeader(res, 'Retry-After', seconds)
  const wait = seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return { status, error: `${why} Try again in ${wait}.` }
}

export const errorNotice = (error: string): string =>
  error === '' ? '' : html`<p class="notice bad" role="alert">${error}</p>`

/** `fields` is HTML. */
export const formCard = (action: string, fields: string, button: string): string =>
  html`<form class="card stack" method="post" action="${action}">!${fields}<button class="main">${button}</button></form>`

export const passwordField = (name: string, label: string, attributes: string): string =>
  inputField(name, { label, attributes: `type="password" required ${attributes}` })

export const newPasswordFields = (fault = ''): string =>
  inputField('password', {
    label: 'New password',
    hint: 'At least 12 characters. For example, use several unrelated words.',
    fault,
    attributes: 'type="password" autocomplete="new-password" required',
  }) + passwordField('again', 'New password again', 'autocomplete="new-password"')

/** Accepts a code from an authenticator app, or a recovery code. */
export const codeField = (name: string, label: string, hint: string): string =>
  inputField(name, {
    label,
    hint,
    attributes:
      'autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required',
  })
