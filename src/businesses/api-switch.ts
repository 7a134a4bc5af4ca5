import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'

/** A setting of the service as a whole. The one there is: `_id: 'api'`, whether the developer API is on. */
export interface Setting {
  _id: string
  enabled: boolean
}

export const settings: Collection = {
  name: 'settings',
  fields: { _id: String, enabled: Boolean },
  indexes: [],
}

/** The developer API's main switch. It is asked before anything is known of a request, so it must not cost a trip. */
export interface ApiSwitch {
  isOn(): boolean
  close(): void
}

/** Looked up this often, so that every process follows within 5 s. */
const lookEveryMs = 2000

export async function createApiSwitch(Setting: Model<Setting>): Promise<ApiSwitch> {
  let on = true
  const look = async () => {
    const setting = await Setting.findById('api').lean<Setting | null>()
    on = setting?.enabled ?? true
  }
  await look()
  // When MongoDB is away the last known position holds.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs)
  timer.unref()
  return { isOn: () => on, close: () => clearInterval(timer) }
}

/** Throws or removes the main switch. */
export async function switchApi(Setting: Model<Setting>, enabled: boolean): Promise<void> {
  await Setting.updateOne({ _id: 'api' }, { $set: { enabled } }, { upsert: true })
}
