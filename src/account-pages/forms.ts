import type { Response } from 'express'
import { html } from 'ghtml'
import type { PasswordFault } from '../accounts/passwords.ts'
import type { IdentityProofFailure } from '../accounts/proof.ts'
import { inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { addHeader } from '../http/pages/send-page.ts'
import type { AccountTexts } from './words/en.ts'

/** `fault` says what's wrong with the new password or code. */
export type RefusedForm =
  | IdentityProofFailure
  | { outcome: 'invalid'; fault: PasswordFault | 'mismatch' | 'new-code' }

/** `wrong` is the message for a wrong secret. */
export function explainRefusal(words: AccountTexts, res: Response, result: RefusedForm, wrong: string) {
  if (result.outcome === 'invalid') return { status: 400, error: words.faults[result.fault] }
  if (result.outcome === 'refused') return { status: 403, error: wrong }
  const [status, why, seconds] =
    result.outcome === 'wait'
      ? ([429, words.tooManyAttempts, result.seconds] as const)
      : ([503, words.busy, 2] as const)
  addHeader(res, 'Retry-After', seconds)
  return {
    status,
    error: why(seconds < 100 ? words.seconds(seconds) : words.minutes(Math.ceil(seconds / 60))),
  }
}

export const errorNotice = (error: string): string =>
  error === '' ? '' : html`<p class="notice bad" role="alert">${error}</p>`

/** `fields` is HTML. */
export const formCard = (action: string, fields: string, button: string): string =>
  html`<form class="card stack" method="post" action="${action}">!${fields}<button class="main">${button}</button></form>`

export const passwordField = (name: string, label: string, attributes: string): string =>
  inputField(name, { label, attributes: `type="password" required ${attributes}` })

export const newPasswordFields = (words: AccountTexts, fault = ''): string =>
  inputField('password', {
    label: words.newPassword,
    hint: words.newPasswordHint,
    fault,
    attributes: 'type="password" autocomplete="new-password" required',
  }) + passwordField('again', words.again, 'autocomplete="new-password"')

/** Accepts a code from an authenticator app, or a recovery code. */
export const codeField = (name: string, label: string, hint: string): string =>
  inputField(name, {
    label,
    hint,
    attributes:
      'autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required',
  })

/** `label` is HTML. */
export const buttonForm = ({ csrf }: { csrf: string }, path: string, label: string): string =>
  html`<form method="post" action="${path}">!${renderHiddenInput('csrf', csrf)}<button>!${label}</button></form>`
