import { html } from 'ghtml'
import type { Locale } from './locale.ts'

/** A field of a form. `attributes` is HTML, written by us; `fault` says what is wrong with what was typed. */
export interface Field {
  name: string
  label: string
  hint: string
  value: string
  attributes: string
  fault: string | null
}

/** A field with its label, its hint and its fault, each tied to it for whoever does not see them. */
export const field = ({ name, label, hint, value, attributes, fault }: Field): string =>
  html`<div class="field !${fault === null ? '' : 'wrong'}">
<label for="${name}">${label}</label>
<p class="faint" id="${name}-hint">${hint}</p>
!${fault === null ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}
<input id="${name}" name="${name}" value="${value}" dir="ltr" !${attributes} aria-describedby="${name}-hint!${fault === null ? '"' : html` ${name}-fault" aria-invalid="true"`}>
</div>`

/** What is wrong with a form: a notice, or the faults of its fields, by name. */
export interface Said {
  notice: string | null
  faults: Partial<Record<string, string>>
}

export const nothingSaid: Said = { notice: null, faults: {} }

export const isSaid = ({ notice, faults }: Said): boolean => notice !== null || Object.keys(faults).length > 0

/** What is wrong, before the form: heard and seen first; each fault leads to its field. Nothing when all is well. */
export function summary({ words }: Locale, said: Said): string {
  if (!isSaid(said)) return ''
  const faults = Object.entries(said.faults).map(
    ([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`,
  )
  return html`<div class="said" role="alert" tabindex="-1" autofocus>
<h2>${words.problem}</h2>
!${said.notice === null ? '' : html`<p>${said.notice}</p>`}
!${faults.length === 0 ? '' : html`<ul>!${faults}</ul>`}
</div>`
}
