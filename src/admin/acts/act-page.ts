import { html } from 'ghtml'
import { maxReasonLength } from '../../audit/reason.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import { csrfField } from '../pages/layout.ts'
import { userText } from '../pages/words.ts'
import { type Effects, effectNames } from './effects.ts'
import type { ActField, ActGroup, Faults, StaffAct, Values } from './staff-act.ts'

/** The content of the page on which staff confirm an act on one object. */
export interface Confirmation<Found> {
  group: ActGroup<Found>
  act: StaffAct<Found>
  found: Found
  /** The path of the object's page. */
  backPath: string
  /** The path of the confirmation page. */
  actionPath: string
  staff: SignedIn
  values: Values
  faults: Faults
  /** More about what will happen, as HTML. */
  details: string
}

/** Returns the body of the page that shows what an act does, and that requires a reason and a confirmation. */
export function confirmationBody<Found>(confirmation: Confirmation<Found>): string {
  const { group, act, found, backPath, staff, details } = confirmation
  const obstacle = act.obstacle(found, staff)
  const facts = group.facts(found)
  return html`<h1>${act.title} !${userText(group.nameOf(found))}</h1>
    !${facts === '' ? '' : html`<dl class="facts card">!${facts}</dl>`}
    !${
      obstacle === null
        ? html`<h2>What will happen</h2>
    <dl class="facts card">!${effectFacts(group, act.effects)}</dl>
    !${details}
    !${form(confirmation)}`
        : html`<p class="notice" role="status">${obstacle}</p>
    <p><a href="${backPath}">Back</a></p>`
    }`
}

function effectFacts<Found>({ acts }: ActGroup<Found>, effects: Effects): string {
  const { undo, undoNote } = effects
  const parts = Object.entries(effectNames).map(([part, name]) => {
    const sentence = effects[part as keyof typeof effectNames]
    return sentence === undefined ? '' : html`<dt>${name}</dt><dd>${capitalised(sentence)}</dd>`
  })
  const undone = undo === null ? capitalised(undoNote ?? '') : `With “${acts[undo]?.label ?? undo}”.`
  return html`!${parts}<dt>Undo</dt><dd>${undone}</dd>`
}

const capitalised = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1)

function form<Found>({ act, found, backPath, actionPath, staff, values, faults }: Confirmation<Found>): string {
  const fields = Object.entries(act.fields ?? {}).map(([name, each]) =>
    field(name, each, values[name] ?? each.current(found), faults[name]),
  )
  const wrong = Object.keys(faults).length > 0
  return html`!${wrong ? html`<p class="notice bad" role="alert">${faults.form ?? 'Nothing was changed. Correct the marked fields.'}</p>` : ''}
    <form method="post" action="${actionPath}" class="card stack">
      !${csrfField(staff)}!${fields}
      !${textField('reason', reasonField(act), values.reason ?? '', faults.reason)}
      <p class="buttons"><button class="${act.isDanger ? 'main danger' : 'main'}">${act.label}</button> <a href="${backPath}">Cancel</a></p>
    </form>`
}

const reasonField = ({ isReasonOptional = false }: { isReasonOptional?: boolean }): ShownField => ({
  label: isReasonOptional ? 'Reason (optional)' : 'Reason',
  hint: `Up to ${maxReasonLength} characters. The audit trail shows it permanently, so do not enter secrets or customer data.`,
  isRequired: !isReasonOptional,
  maxLength: maxReasonLength,
})

interface ShownField {
  label: string
  hint?: string
  isRequired?: boolean
  maxLength?: number
}

function field<Found>(name: string, spec: ActField<Found>, value: string, fault: string | undefined): string {
  const { label, hint, choices } = spec
  if (label === null) return html`<input type="hidden" name="${name}" value="${value}" />`
  const shown = { label, ...(hint === undefined ? {} : { hint }) }
  return choices === undefined
    ? textField(name, shown, value, fault)
    : labelled(
        name,
        shown,
        fault,
        (described) =>
          html`<select id="${name}" name="${name}" !${described}>!${choices.map((choice) => html`<option !${choice === value ? 'selected' : ''}>${choice}</option>`)}</select>`,
      )
}

const textField = (name: string, shown: ShownField, value: string, fault: string | undefined): string =>
  labelled(
    name,
    shown,
    fault,
    (described) =>
      html`<input id="${name}" name="${name}" value="${value}" autocomplete="off" maxlength="${String(shown.maxLength ?? 64)}" !${shown.isRequired ? 'required' : ''} !${described} />`,
  )

/** Returns a field with its label, its hint and, if the value is wrong, a message that screen readers read with it. */
function labelled(
  name: string,
  { label, hint }: ShownField,
  fault: string | undefined,
  input: (described: string) => string,
): string {
  const ids = [fault === undefined ? '' : `${name}-fault`, hint === undefined ? '' : `${name}-hint`]
  const wrong = fault === undefined ? '' : 'aria-invalid="true"'
  const described = html`aria-describedby="${ids.join(' ').trim()}" !${wrong}`
  return html`<div>
    <label for="${name}">${label}</label>
    !${fault === undefined ? '' : html`<p class="bad" id="${name}-fault">${fault}</p>`}
    !${input(ids.join('') === '' ? '' : described)}
    !${hint === undefined ? '' : html`<p class="faint" id="${name}-hint">${hint}</p>`}
  </div>`
}
