import { html } from 'ghtml'
import type { Locale } from './locale.ts'

/** A form field. `attributes` is trusted HTML. `fault` is the error message for the typed value. */
export interface Field {
  name: string
  label: string
  hint: string
  value: string
  attributes: string
  fault: string | null
}

/**
 * Returns a field as HTML with its label, its hint and its error message. The hint and the error message are linked to
 * the field for screen readers.
 */
export const field = ({ name, label, hint, value, attributes, fault }: Field): string =>
  html`<div class="field !${fault === null ? '' : 'wrong'}">
<label for="${name}">${label}</label>
<p class="faint" id="${name}-hint">${hint}</p>
!${fault === null ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}
<input id="${name}" name="${name}" value="${value}" dir="ltr" !${attributes} aria-describedby="${name}-hint!${fault === null ? '"' : html` ${name}-fault" aria-invalid="true"`}>
</div>`

/** The messages that a form shows: a general notice, or an error message for each invalid field. */
export interface FormMessages {
  notice: string | null
  faults: Partial<Record<string, string>>
}

export const noMessages: FormMessages = { notice: null, faults: {} }

export const hasMessages = ({ notice, faults }: FormMessages): boolean =>
  notice !== null || Object.keys(faults).length > 0

/**
 * Returns the error summary that is shown above the form, with a link to each invalid field. Returns an empty string if
 * there are no errors. Screen readers announce the summary before the form.
 */
export function summary({ words }: Locale, messages: FormMessages): string {
  if (!hasMessages(messages)) return ''
  const faults = Object.entries(messages.faults).map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)
  return html`<div class="said" role="alert" tabindex="-1" autofocus>
<h2>${words.problem}</h2>
!${messages.notice === null ? '' : html`<p>${messages.notice}</p>`}
!${faults.length === 0 ? '' : html`<ul>!${faults}</ul>`}
</div>`
}
