import type { Request, Response, Router } from 'express'
import { readReason } from '../../audit/reason.ts'
import type { Deps } from '../../deps.ts'
import { formFields } from '../../http/body/read-form.ts'
import { redirectTo, sendPage } from '../../http/pages/send-page.ts'
import { byStaff, checkCsrf, requirePermission, staffOf } from '../pages/guards.ts'
import { page } from '../pages/layout.ts'
import { limited } from '../pages/limited.ts'
import { sendNotFound } from '../pages/respond.ts'
import { confirmationBody } from './act-page.ts'
import { type ActGroup, type Faults, objectPath, type StaffAct, type Values } from './staff-act.ts'

/**
 * Adds the two routes of each act of a group: GET shows what will happen, and POST does it. Both require the act's
 * permission.
 */
export function addActs<Found>(router: Router, deps: Deps, group: ActGroup<Found>): void {
  for (const [name, act] of Object.entries(group.acts)) {
    const path = `${group.path}/${name}`
    const may = requirePermission(act.permission)
    router.get(path, may, limited(deps)(confirm(group, name, act)))
    router.post(path, may, checkCsrf, perform(deps, group, name, act))
  }
}

type ActRequest = Request<{ id?: string }>

const confirm =
  <Found>(group: ActGroup<Found>, name: string, act: StaffAct<Found>) =>
  (deps: Deps) =>
  async (req: ActRequest, res: Response) => {
    const found = await group.find(deps, req.params.id ?? '')
    if (found === null) return sendNotFound(res)
    await show(deps, group, name, act, found, {
      req,
      res,
      status: 200,
      values: given(act, req.query),
      faults: {},
    })
  }

const perform =
  <Found>(deps: Deps, group: ActGroup<Found>, name: string, act: StaffAct<Found>) =>
  async (req: ActRequest, res: Response) => {
    const id = req.params.id ?? ''
    const found = await group.find(deps, id)
    if (found === null) return sendNotFound(res)
    const backPath = objectPath(group, id)
    const again = () => redirectTo(res, `${backPath}/${name}`)
    if (act.obstacle(found, staffOf(res)) !== null) return again()
    const values = { ...given(act, req.body), ...formFields(req, 'reason') }
    const invalid = (faults: Faults) => show(deps, group, name, act, found, { req, res, status: 400, values, faults })
    const reason = readReason(values.reason)
    const faults = {
      ...act.faults?.(values),
      ...reasonFault(act, values.reason, reason),
      ...missingFaults(act, values),
    }
    if (Object.keys(faults).length > 0) return invalid(faults)
    const done = await act.run(deps, found, byStaff(req, res, reason), values)
    if (done.result === 'invalid') return invalid(done.faults)
    if (done.result === 'refused') return again()
    if (done.result === 'done') return redirectTo(res, done.to ?? `${backPath}?done=${name}`)
    sendPage(res, 200, page({ title: act.title, staff: staffOf(res), current: null }, done.body))
  }

function reasonFault(
  { isReasonOptional = false }: { isReasonOptional?: boolean },
  text: string,
  reason: string | null,
): Faults {
  if (reason !== null || (isReasonOptional && text.trim() === '')) return {}
  return { reason: 'Enter a reason of 1 to 300 printable characters, without line breaks.' }
}

/** Without one of its fields, such as the end of a time span, a form could select more than its page has shown. */
function missingFaults<Found>({ fields = {} }: StaffAct<Found>, values: Values): Faults {
  const missing = Object.keys(fields).filter((name) => values[name] === undefined)
  const message = 'The form must contain this field exactly once.'
  const form = 'Nothing was changed. The form must contain each of its fields exactly once.'
  return missing.length === 0 ? {} : { ...Object.fromEntries(missing.map((name) => [name, message])), form }
}

/** Returns the values of the act's fields that a query or a form contains. */
function given<Found>({ fields = {} }: StaffAct<Found>, input: unknown): Values {
  const known = (input ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.keys(fields).flatMap((name) => {
      const value = known[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

interface Shown {
  req: ActRequest
  res: Response
  status: number
  values: Values
  faults: Faults
}

async function show<Found>(
  deps: Deps,
  group: ActGroup<Found>,
  name: string,
  act: StaffAct<Found>,
  found: Found,
  { req, res, status, values, faults }: Shown,
): Promise<void> {
  const staff = staffOf(res)
  const isPossible = act.obstacle(found, staff) === null
  const details = (isPossible ? await act.details?.(deps, found, values) : null) ?? ''
  const backPath = objectPath(group, req.params.id ?? '')
  const actionPath = `${backPath}/${name}`
  const body = confirmationBody({
    group,
    act,
    found,
    backPath,
    actionPath,
    staff,
    values,
    faults,
    details,
  })
  sendPage(res, status, page({ title: `${act.title} ${group.nameOf(found)}`, staff, current: null }, body))
}
