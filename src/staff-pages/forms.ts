import type { Response } from 'express'
import { html } from 'ghtml'
import type { IdentityProofFailure } from '../accounts/proof.ts'
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

export const renderHiddenInput = (name: string, value: string): string =>
  html`<input type="hidden" name="${name}" value="${value}" />`

interface LabelledInput {
  label: string
  hint?: string | undefined
  fault?: string | undefined
  /** The options, or a map from values to labels. */
  choices?: readonly string[] | Readonly<Record<string, string>> | undefined
  value?: string | undefined
  /** Attributes of the input element, as HTML. */
  attributes?: string | undefined
}

/** Screen readers read the error message and the hint with the field. */
export function inputField(name: string, input: LabelledInput): string {
  const { label, hint = '', fault = '', choices, value = '', attributes = '' } = input
  const ids = [fault && `${name}-fault`, hint && `${name}-hint`].filter((id) => id !== '').join(' ')
  const described = html`!${ids === '' ? '' : html`aria-describedby="${ids}"`} !${fault === '' ? '' : 'aria-invalid="true"'}`
  const field =
    choices === undefined
      ? html`<input id="${name}" name="${name}" value="${value}" !${attributes} !${described} />`
      : html`<select id="${name}" name="${name}" !${described}>!${options(choices, value)}</select>`
  return html`<div>
    <label for="${name}">${label}</label>
    !${fault === '' ? '' : html`<p class="bad" id="${name}-fault">${fault}</p>`}
    !${field}
    !${hint === '' ? '' : html`<p class="faint" id="${name}-hint">${hint}</p>`}
  </div>`
}

const options = (choices: NonNullable<LabelledInput['choices']>, chosen: string) =>
  Object.entries(choices).map(([key, text]) => {
    const value = Array.isArray(choices) ? text : key
    return html`<option value="${value}" !${value === chosen ? 'selected' : ''}>${text}</option>`
  })

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
