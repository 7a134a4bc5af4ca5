import type { Router } from 'express'
import { html } from 'ghtml'
import { maxReasonLength, readReason } from '../audit/acts.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { isolateText } from '../http/pages/text.ts'
import type { Deps } from '../platform/deps.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission } from '../staff/permissions.ts'
import {
  type ActionField,
  type ActionGroup,
  type FormFaults,
  type FormValues,
  findObstacle,
  listEffects,
  type OneTimeSecret,
  type StaffAction,
} from '../staff-acts/act.ts'
import { capitaliseFirst, lookUpEntry } from './format.ts'
import { checkStaffCsrf, readPathId, requirePermission, serveStaffPage, staffAsActor } from './guards.ts'
import { csrfField, currentStaff, sendNotFound, sendStaffPage } from './layout.ts'
import { renderFacts } from './table.ts'

/** Adds two routes per action: GET shows what it will do, and POST does it. */
export function addActionRoutes<Found>(router: Router, deps: Deps, group: ActionGroup<Found, Deps>): void {
  const may = requirePermission(group.permission)
  for (const [name, act] of Object.entries(group.acts)) {
    const path = `${group.path}/${name}`
    const formOf = (id: string, found: Found, staff: SignedInStaff) => {
      return { group, act, found, staff, backPath: objectPath(group, id), name }
    }
    const confirm = serveStaffPage(deps, async (reading, { id, query, staff }) => {
      const found = await group.find(reading, id)
      return found && confirmation(reading, formOf(id, found, staff), valuesIn(act, found, query), {})
    })
    router.get(path, may, confirm)

    router.post(path, may, checkStaffCsrf, async (req, res) => {
      const found = await group.find(deps, readPathId(req))
      if (found === null) return sendNotFound(res)
      const form = formOf(readPathId(req), found, currentStaff(res))
      const again = () => sendRedirect(res, `${form.backPath}/${name}`)
      if (findObstacle(group, act, found, form.staff) !== null) return again()
      const values = { ...valuesIn(act, found, req.body), ...readFormFields(req, 'reason') }
      const refuse = async (faults: FormFaults) =>
        sendStaffPage(res, await confirmation(deps, form, values, faults))
      const faults = faultsOf(act, values)
      if (Object.keys(faults).length > 0) return refuse(faults)
      const result = await act
        .run(deps, found, staffAsActor(req, res, readReason(values.reason)), values)
        .catch(async (error) => {
          const text = (await group.refusalText?.(error)) ?? null
          if (text === null) throw error
          return { faults: { form: text } }
        })
      if (result === null) return again()
      if ('faults' in result) return refuse(result.faults)
      if (result.once !== undefined)
        return sendStaffPage(res, { title: act.title, body: shownOnce(result.once) })
      sendRedirect(res, result.to ?? `${form.backPath}?done=${name}`)
    })
  }
}

const shownOnce = ({ title, name, note, text, backPath }: OneTimeSecret) =>
  html`<h1>${title} <bdi>${name}</bdi></h1>
    <p class="notice good" role="status">${note}</p>
    <pre>${text}</pre>
    <p><a href="${backPath}">Go back</a></p>`

/** If a field were missing, the form could select more than it showed. */
function faultsOf<Found>(act: StaffAction<Found, Deps>, values: FormValues & { reason: string }): FormFaults {
  const { fields = {}, isReasonOptional } = act
  const missing = Object.keys(fields).filter((name) => values[name] === undefined)
  const hasReason = readReason(values.reason) !== null || (isReasonOptional && values.reason.trim() === '')
  return {
    ...act.faults?.(values),
    ...(!hasReason && { reason: 'Enter a reason of 1 to 300 printable characters, without line breaks.' }),
    ...Object.fromEntries(missing.map((name) => [name, 'The form must contain this field exactly once.'])),
    ...(missing.length > 0 && {
      form: 'Nothing was changed. The form must contain each of its fields exactly once.',
    }),
  }
}

/** A field that the user left alone gets its current value. */
const valuesIn = <Found>(
  { fields = {} }: StaffAction<Found, Deps>,
  found: Found,
  input: Readonly<Record<string, unknown>> = {},
): FormValues =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { current }]) => {
      const text = input[name]
      if (typeof text !== 'string') return []
      return [[name, text === input[shownName(name)] ? current(found) : text]]
    }),
  )

const shownName = (name: string) => `${name}Shown`

interface ActForm<Found> {
  group: ActionGroup<Found, Deps>
  name: string
  act: StaffAction<Found, Deps>
  found: Found
  staff: SignedInStaff
  backPath: string
}

async function confirmation<Found>(deps: Deps, form: ActForm<Found>, values: FormValues, faults: FormFaults) {
  const { group, act, found, staff, backPath } = form
  const obstacle = findObstacle(group, act, found, staff)
  const details = obstacle === null ? await act.details?.(deps, found, values) : undefined
  const body = html`<h1>${act.title} !${isolateText(group.nameOf(found))}</h1>
    !${group.facts.length === 0 ? '' : html`<dl class="facts card">!${renderFacts(found, group.facts)}</dl>`}
    !${
      obstacle === null
        ? html`<h2>What will happen</h2>
    <dl class="facts card">!${effectFacts(group, act)}</dl>
    !${details ?? ''}
    !${confirmationForm(form, values, faults)}`
        : html`<p class="notice" role="status">${obstacle}</p>
    <p><a href="${backPath}">Back</a></p>`
    }`
  const status = Object.keys(faults).length === 0 ? 200 : 400
  return { title: `${act.title} ${group.nameOf(found)}`, status, body }
}

function effectFacts<Found>({ acts }: ActionGroup<Found, Deps>, { effects }: StaffAction<Found, Deps>) {
  const { undo, undoNote = '' } = effects
  const undone = undo === undefined ? undoNote : `With “${acts[undo]?.label ?? undo}”.`
  return [...listEffects(effects), ['Undo', undone] as const]
    .map(([name, sentence]) => html`<dt>${name}</dt><dd>${capitaliseFirst(sentence)}</dd>`)
    .join('')
}

function confirmationForm<Found>(
  { name, act, found, staff, backPath }: ActForm<Found>,
  values: FormValues,
  faults: FormFaults,
) {
  const shown = (key: string, spec: ActionField<Found>) =>
    field(key, spec, values[key] ?? spec.current(found), faults[key])
  const fields = Object.entries(act.fields ?? {}).flatMap(([key, spec]) => [
    shown(key, spec),
    spec.label === null ? '' : renderHiddenInput(shownName(key), spec.current(found)),
  ])
  const wrong = Object.keys(faults).length > 0
  return html`!${wrong ? html`<p class="notice bad" role="alert">${faults.form ?? 'Nothing was changed. Correct the marked fields.'}</p>` : ''}
    <form method="post" action="${backPath}/${name}" class="card stack">
      !${csrfField(staff)}!${fields}
      !${shown('reason', reasonField(act))}
      <p class="buttons"><button class="${act.isDanger ? 'main danger' : 'main'}">${act.label}</button> <a href="${backPath}">Cancel</a></p>
    </form>`
}

const reasonField = <Found>({ isReasonOptional = false }: StaffAction<Found, Deps>): ActionField<Found> => ({
  label: isReasonOptional ? 'Reason (optional)' : 'Reason',
  hint: `Up to ${maxReasonLength} characters. The audit trail shows it permanently, so do not enter secrets or customer data.`,
  isRequired: !isReasonOptional,
  maxLength: maxReasonLength,
  current: () => '',
})

function field<Found>(name: string, spec: ActionField<Found>, value: string, fault: string | undefined) {
  const { label, hint, choices, isRequired, maxLength = 64 } = spec
  if (label === null) return renderHiddenInput(name, value)
  const attributes = `autocomplete="off" maxlength="${maxLength}" ${isRequired ? 'required' : ''}`
  return inputField(name, { label, hint, fault, choices, value, attributes })
}

const objectPath = ({ path }: { path: string }, id: string) =>
  `/admin${path.replace(':id', encodeURIComponent(id))}`

export function linkActions<Found>(
  group: ActionGroup<Found, Deps>,
  id: string,
  found: Found,
  staff: SignedInStaff,
): string {
  const possible = Object.entries(group.acts).filter(
    ([, act]) => findObstacle(group, act, found, staff) === null,
  )
  if (possible.length === 0 || !hasPermission(staff, group.permission)) return ''
  const { safe = [], danger = [] } = Object.groupBy(possible, ([, act]) => (act.isDanger ? 'danger' : 'safe'))
  const links = (acts: typeof possible, classes: string) =>
    acts.length === 0
      ? ''
      : html`<div>!${acts.map(([name, { label }]) => html`<a class="${classes}" href="${objectPath(group, id)}/${name}">${label}…</a>`)}</div>`
  return html`<h2>Actions</h2><div class="card acts">!${links(safe, 'button')}!${links(danger, 'button danger')}</div>`
}

/** Empty if the object has changed since the action. */
export function renderDoneNotice<Found>(
  group: ActionGroup<Found, Deps>,
  found: Found,
  query: Readonly<Record<string, unknown>>,
): string {
  const act = lookUpEntry(group.acts, query.done)
  if (act === undefined || act.isDone?.(found) === false) return ''
  return html`<p class="notice good" role="status">${act.done}</p>`
}
