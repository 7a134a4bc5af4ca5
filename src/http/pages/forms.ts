import { html } from 'ghtml'
import { parseTypedAmount } from '../../input/amount.ts'
import type { Locale } from './locale.ts'
import { isolateLtrText } from './text.ts'

export const renderHiddenInput = (name: string, value: string): string =>
  html`<input type="hidden" name="${name}" value="${value}">`

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

/** Screen readers read the hint and the error message with the field. */
export function inputField(name: string, input: LabelledInput): string {
  const { label, hint = '', fault = '', choices, value = '', attributes = '' } = input
  const ids = [hint && `${name}-hint`, fault && `${name}-fault`].filter((id) => id !== '').join(' ')
  const described = html`!${ids === '' ? '' : html`aria-describedby="${ids}"`} !${fault === '' ? '' : 'aria-invalid="true"'}`
  const field =
    choices === undefined
      ? html`<input id="${name}" name="${name}" value="${value}" !${attributes} !${described}>`
      : html`<select id="${name}" name="${name}" !${attributes} !${described}>!${options(choices, value)}</select>`
  return html`<div class="!${fault === '' ? 'field' : 'field wrong'}">
<label for="${name}">${label}</label>
!${hint === '' ? '' : html`<p class="faint" id="${name}-hint">${hint}</p>`}
!${fault === '' ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}
!${field}
</div>`
}

const options = (choices: NonNullable<LabelledInput['choices']>, chosen: string) =>
  Object.entries(choices).map(([key, text]) => {
    const value = Array.isArray(choices) ? text : key
    return html`<option value="${value}" !${value === chosen ? 'selected' : ''}>${text}</option>`
  })

interface Checkboxes {
  label: string
  fault?: string | undefined
  /** `text` is HTML. A chosen box is submitted as `name=on`. */
  choices: readonly { name: string; text: string; isChosen: boolean }[]
}

/** The error summary links to `id`. */
export function checkboxFields(id: string, { label, fault = '', choices }: Checkboxes): string {
  const boxes = choices.map(
    ({ name, text, isChosen }) =>
      html`<label class="choice"><input type="checkbox" name="${name}" !${isChosen ? 'checked' : ''}><span>!${text}</span></label>`,
  )
  return html`<fieldset id="${id}" tabindex="-1" class="!${fault === '' ? 'field' : 'field wrong'}" !${fault === '' ? '' : html`aria-describedby="${id}-fault"`}>
<legend>${label}</legend>
!${fault === '' ? '' : html`<p class="fault" id="${id}-fault">${fault}</p>`}
!${boxes}
</fieldset>`
}

export interface FormMessages {
  notice?: string
  faults?: Readonly<Record<string, string>>
}

export const hasFormMessages = ({ notice, faults = {} }: FormMessages): boolean =>
  notice !== undefined || Object.keys(faults).length > 0

/** The summary comes first, so screen readers announce it first. `title` stands above a notice. */
export function renderErrorSummary({ words }: Locale, messages: FormMessages, title: string): string {
  if (!hasFormMessages(messages)) return ''
  const { notice, faults = {} } = messages
  const items = Object.entries(faults).map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)
  return html`<div class="said" role="alert" tabindex="-1" autofocus>
<h2>${notice === undefined ? words.problem : title}</h2>
!${notice === undefined ? '' : html`<p>${notice}</p>`}
!${items.length === 0 ? '' : html`<ul>!${items}</ul>`}
</div>`
}

export const titleOfForm = ({ words }: Locale, title: string, messages: FormMessages): string =>
  hasFormMessages(messages) ? words.wrong(title) : title

/** Returns centimes, or what to tell the person who typed it. */
export function readAmountField(
  locale: Locale,
  typed: string,
  maxAmount: number,
): { amount: number } | { fault: string } {
  const { missing, unclear, outOfRange } = locale.words.typedAmount
  const amount = parseTypedAmount(typed)
  if (amount === null) return { fault: missing }
  if (amount === 'unclear') return { fault: unclear }
  if (amount >= 1 && amount <= maxAmount) return { amount }
  const shown = (centimes: number) => isolateLtrText(locale, locale.money(centimes))
  return { fault: outOfRange(shown(1), shown(maxAmount)) }
}
