import type { Model } from 'mongoose'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { flag, text } from '../mongo/fields.ts'

/** Applies to the whole service. So far there's one, `api`, which turns the developer API on or off. */
export const settings = declareCollection({
  name: 'settings',
  kept: 'forever',
  fields: { _id: text, enabled: flag },
  indexes: [],
})
export type Setting = Stored<typeof settings>

/** Master switch for the developer API. Each process keeps its value in memory, because every request checks it. */
export type ApiSwitch = Awaited<ReturnType<typeof createApiSwitch>>

/** Well below 5 s, the time within which all processes must see a change. */
const readEveryMs = 2000

export async function createApiSwitch(Setting: Model<Setting>) {
  let on = true
  const read = async () => {
    const setting = await Setting.findById('api').lean<Setting | null>()
    on = setting?.enabled ?? true
  }
  await read()
  // While MongoDB is down, the last known value applies.
  const timer = setInterval(() => void read().catch(() => undefined), readEveryMs)
  timer.unref()
  return { isOn: () => on, close: () => clearInterval(timer) }
}
