import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { maxReasonLength, readReason } from '../audit/acts.ts'
import { formFields } from '../http/body/read-form.ts'
import { redirectTo } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { mayStaff } from '../staff/permissions.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import {
  type ActEffects,
  type ActField,
  type ActGroup,
  type ActResult,
  type FormFaults,
  type FormValues,
  namedEffects,
  type OneTimeSecret,
  obstacleTo,
  type StaffAct,
} from '../staff-acts/act.ts'
import { byStaff, checkCsrf, limited, requirePermission } from './guards.ts'
import { csrfField, sendNotFound, sendStaffPage, staffOf } from './layout.ts'
import { entryNamed } from './paths.ts'
import { factsOf } from './table.ts'
import { capitalised, userText } from './words.ts'

/**
 * Adds the two routes of each act of a group: GET shows what will happen, and POST does it. Both require the group's
 * permission.
 */
export function addActs<Found>(router: Router, deps: Deps, group: ActGroup<Found, Deps>): void {
  const may = requirePermission(group.permission)
  for (const [name, act] of Object.entries(group.acts)) {
    const path = `${group.path}/${name}`
    router.get(path, may, limited(deps)(confirm(group, name, act)))
    router.post(path, may, checkCsrf, perform(deps, group, name, act))
  }
}

type ActRequest = Request<{ id?: string }>

const confirm =
  <Found>(group: ActGroup<Found, Deps>, name: string, act: StaffAct<Found, Deps>) =>
  (deps: Deps) =>
  async (req: ActRequest, res: Response) => {
    const id = req.params.id ?? ''
    const found = await group.find(deps, id)
    if (found === null) return sendNotFound(res)
    const backPath = objectPath(group, id)
    await show(deps, res, { group, name, act, found, backPath, values: given(act, req.query), faults: {} })
  }

const perform =
  <Found>(deps: Deps, group: ActGroup<Found, Deps>, name: string, act: StaffAct<Found, Deps>) =>
  async (req: ActRequest, res: Response) => {
    const id = req.params.id ?? ''
    const found = await group.find(deps, id)
    if (found === null) return sendNotFound(res)
    const backPath = objectPath(group, id)
    const again = () => redirectTo(res, `${backPath}/${name}`)
    if (obstacleTo(group, act, found, staffOf(res)) !== null) return again()
    const values = {
      ...given(act, req.body),
      ...untouched(act, found, req.body),
      ...formFields(req, 'reason'),
    }
    const invalid = (faults: FormFaults) =>
      show(deps, res, { group, name, act, found, backPath, values, faults })
    const reason = readReason(values.reason)
    const faults = {
      ...act.faults?.(values),
      ...reasonFault(act, values.reason, reason),
      ...missingFaults(act, values),
    }
    if (Object.keys(faults).length > 0) return invalid(faults)
    const result = await act
      .run(deps, found, byStaff(req, res, reason), values)
      .catch(async (error): Promise<ActResult> => {
        const form = (await group.refusalText?.(error)) ?? null
        if (form === null) throw error
        return { faults: { form } }
      })
    if (result === null) return again()
    if ('faults' in result) return invalid(result.faults)
    if (result.once !== undefined) return sendStaffPage(res, { title: act.title }, shownOnce(result.once))
    redirectTo(res, result.to ?? `${backPath}?done=${name}`)
  }

/** Returns the page that shows a secret. It is shown only once, and is not stored. */
const shownOnce = ({ title, name, note, text, backPath }: OneTimeSecret): string =>
  html`<h1>${title} <bdi>${name}</bdi></h1>
    <p class="notice good" role="status">${note}</p>
    <pre>${text}</pre>
    <p><a href="${backPath}">Go back</a></p>`

function reasonFault<Found>(
  { isReasonOptional }: StaffAct<Found, Deps>,
  text: string,
  reason: string | null,
): FormFaults {
  if (reason !== null || (isReasonOptional && text.trim() === '')) return {}
  return { reason: 'Enter a reason of 1 to 300 printable characters, without line breaks.' }
}

/** Without one of its fields, such as the end of a time span, a form could select more than its page has shown. */
function missingFaults<Found>({ fields = {} }: StaffAct<Found, Deps>, values: FormValues): FormFaults {
  const missing = Object.keys(fields).filter((name) => values[name] === undefined)
  const message = 'The form must contain this field exactly once.'
  const form = 'Nothing was changed. The form must contain each of its fields exactly once.'
  return missing.length === 0 ? {} : { ...Object.fromEntries(missing.map((name) => [name, message])), form }
}

/** Returns the values of the act's fields that a query or a form contains. */
const given = <Found>({ fields = {} }: StaffAct<Found, Deps>, input: object = {}): FormValues =>
  Object.fromEntries(
    Object.entries(input).filter(([name, value]) => Object.hasOwn(fields, name) && typeof value === 'string'),
  )

/** Returns the current values of the fields that were left as the form had shown them. They may have changed since. */
const untouched = <Found>(
  { fields = {} }: StaffAct<Found, Deps>,
  found: Found,
  form: FormValues,
): FormValues =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => form[name] !== undefined && form[name] === form[shownName(name)])
      .map(([name, spec]) => [name, spec.current(found)]),
  )

/** The name of the hidden field that says what the form has shown. */
const shownName = (name: string): string => `${name}Shown`

/** The page on which staff confirm an act on one object. */
interface Confirmation<Found> {
  group: ActGroup<Found, Deps>
  name: string
  act: StaffAct<Found, Deps>
  found: Found
  /** The path of the object's page. */
  backPath: string
  values: FormValues
  faults: FormFaults
}

/** Sends the page that shows what an act does, and that requires a reason and a confirmation. */
async function show<Found>(deps: Deps, res: Response, confirmation: Confirmation<Found>): Promise<void> {
  const { group, act, found, backPath, values, faults } = confirmation
  const staff = staffOf(res)
  const obstacle = obstacleTo(group, act, found, staff)
  const facts = factsOf(found, group.facts)
  const details = obstacle === null ? await act.details?.(deps, found, values) : undefined
  const body = html`<h1>${act.title} !${userText(group.nameOf(found))}</h1>
    !${facts === '' ? '' : html`<dl class="facts card">!${facts}</dl>`}
    !${
      obstacle === null
        ? html`<h2>What will happen</h2>
    <dl class="facts card">!${effectFacts(group, act.effects)}</dl>
    !${details ?? ''}
    !${confirmationForm(confirmation, staff)}`
        : html`<p class="notice" role="status">${obstacle}</p>
    <p><a href="${backPath}">Back</a></p>`
    }`
  const status = Object.keys(faults).length === 0 ? 200 : 400
  sendStaffPage(res, { title: `${act.title} ${group.nameOf(found)}`, status }, body)
}

function effectFacts<Found>({ acts }: ActGroup<Found, Deps>, effects: ActEffects): string {
  const { undo, undoNote = '' } = effects
  const parts = namedEffects(effects).map(
    ([name, sentence]) => html`<dt>${name}</dt><dd>${capitalised(sentence)}</dd>`,
  )
  const undone = undo === undefined ? capitalised(undoNote) : `With “${acts[undo]?.label ?? undo}”.`
  return html`!${parts}<dt>Undo</dt><dd>${undone}</dd>`
}

function confirmationForm<Found>(confirmation: Confirmation<Found>, staff: SignedIn): string {
  const { name, act, found, backPath, values, faults } = confirmation
  const shown = (key: string, spec: ActField<Found>) =>
    field(key, spec, values[key] ?? spec.current(found), faults[key])
  const fields = Object.entries(act.fields ?? {}).flatMap(([key, spec]) => [
    shown(key, spec),
    spec.label === null ? '' : hidden(shownName(key), spec.current(found)),
  ])
  const wrong = Object.keys(faults).length > 0
  return html`!${wrong ? html`<p class="notice bad" role="alert">${faults.form ?? 'Nothing was changed. Correct the marked fields.'}</p>` : ''}
    <form method="post" action="${backPath}/${name}" class="card stack">
      !${csrfField(staff)}!${fields}
      !${shown('reason', reasonField(act))}
      <p class="buttons"><button class="${act.isDanger ? 'main danger' : 'main'}">${act.label}</button> <a href="${backPath}">Cancel</a></p>
    </form>`
}

const reasonField = <Found>({ isReasonOptional = false }: StaffAct<Found, Deps>): ActField<Found> => ({
  label: isReasonOptional ? 'Reason (optional)' : 'Reason',
  hint: `Up to ${maxReasonLength} characters. The audit trail shows it permanently, so do not enter secrets or customer data.`,
  isRequired: !isReasonOptional,
  maxLength: maxReasonLength,
  current: () => '',
})

const hidden = (name: string, value: string): string =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** Returns a field with its label, its hint and, if the value is wrong, a message that screen readers read with it. */
function field<Found>(name: string, spec: ActField<Found>, value: string, fault: string | undefined): string {
  const { label, hint, choices, isRequired, maxLength = 64 } = spec
  if (label === null) return hidden(name, value)
  const ids = [fault === undefined ? [] : `${name}-fault`, hint === undefined ? [] : `${name}-hint`]
    .flat()
    .join(' ')
  const wrong = fault === undefined ? '' : 'aria-invalid="true"'
  const described = ids === '' ? '' : html`aria-describedby="${ids}" !${wrong}`
  const input =
    choices === undefined
      ? html`<input id="${name}" name="${name}" value="${value}" autocomplete="off" maxlength="${String(maxLength)}" !${isRequired ? 'required' : ''} !${described} />`
      : html`<select id="${name}" name="${name}" !${described}>!${choices.map((choice) => html`<option !${choice === value ? 'selected' : ''}>${choice}</option>`)}</select>`
  return html`<div>
    <label for="${name}">${label}</label>
    !${fault === undefined ? '' : html`<p class="bad" id="${name}-fault">${fault}</p>`}
    !${input}
    !${hint === undefined ? '' : html`<p class="faint" id="${name}-hint">${hint}</p>`}
  </div>`
}

/** Returns the path of the page of one object of a group. */
export const objectPath = ({ path }: { path: string }, id: string): string =>
  `/admin${path.replace(':id', encodeURIComponent(id))}`

/**
 * Returns links to the acts that this member of staff can perform on an object now, with the dangerous acts set apart.
 * Returns an empty string if there are none.
 */
export function actLinks<Found>(
  group: ActGroup<Found, Deps>,
  id: string,
  found: Found,
  staff: SignedIn,
): string {
  const possible = Object.entries(group.acts).filter(
    ([, act]) => obstacleTo(group, act, found, staff) === null,
  )
  if (possible.length === 0 || !mayStaff(staff, group.permission)) return ''
  const links = (isDanger: boolean) => {
    const each = possible
      .filter(([, act]) => (act.isDanger ?? false) === isDanger)
      .map(
        ([name, { label }]) =>
          html`<a class="button ${isDanger ? 'danger' : ''}" href="${objectPath(group, id)}/${name}">${label}…</a>`,
      )
    return each.length === 0 ? '' : html`<div>!${each}</div>`
  }
  return html`<h2>Actions</h2><div class="card acts">!${links(false)}!${links(true)}</div>`
}

/**
 * Returns the notice to show after an act. Returns an empty string if the query names no act, or if the object has
 * changed since then.
 */
export function actNotice<Found>(
  group: ActGroup<Found, Deps>,
  found: Found,
  query: Record<string, unknown>,
): string {
  const act = entryNamed(group.acts, query.done)
  if (act === undefined || act.isDone?.(found) === false) return ''
  return html`<p class="notice good" role="status">${act.done}</p>`
}
