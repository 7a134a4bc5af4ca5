import type { Model } from 'mongoose'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { flag, text } from '../mongo/fields.ts'

export const serviceSettings = declareCollection({
  name: 'settings',
  kept: 'forever',
  fields: { _id: text, enabled: flag },
  indexes: [],
})
type ServiceSetting = Stored<typeof serviceSettings>

/** Every request checks this switch, so each process keeps it in memory. */
export type ApiSwitch = Awaited<ReturnType<typeof createApiSwitch>>

/** All processes must see a change within 5 s. */
const readEveryMs = 2000

export async function createApiSwitch(Setting: Model<ServiceSetting>) {
  let on = true
  const read = async () => {
    const setting = await Setting.findById('api').lean<ServiceSetting | null>()
    on = setting?.enabled ?? true
  }
  await read()
  // While MongoDB is down, the last known value applies.
  const timer = setInterval(() => void read().catch(() => undefined), readEveryMs)
  timer.unref()
  return { isOn: () => on, close: () => clearInterval(timer) }
}
