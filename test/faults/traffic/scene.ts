import type { Call, What } from '../evidence/evidence.ts'
import type { Chance } from './chance.ts'
import type { Ask } from './client.ts'
import type { Send } from './send.ts'
import type { Body, Wish } from './wish.ts'
import type { Key, Place, World } from './world.ts'

/** One operation of the traffic: who does it and with what chance. */
export interface Scene {
  world: World
  place: Place
  /** One of the place's secret keys. */
  key: Key
  operation: number
  chance: Chance
  ask: Ask
  send: Send
  /** Another name for each write of this operation, the same for the same seed. */
  newKey(): string
}

const api = '/api/v1/dev'

const wishOf = ({ operation, key }: Scene, what: What, method: Wish['method'], path: string): Wish => ({
  operation,
  actor: 'merchant',
  what,
  key,
  method,
  path: api + path,
  idempotencyKey: null,
  body: null,
  otherBody: null,
  expects: [],
  headers: {},
})

/** A merchant reads, once. */
export const read = (scene: Scene, what: What, path: string, expects: Wish['expects'] = []): Promise<Call> =>
  scene.ask({ ...wishOf(scene, what, 'GET', path), expects }, 1, scene.chance)

/** Of what the traffic knows to be wrong `expects` says how it may be refused. */
export interface Write extends Partial<Pick<Wish, 'expects'>> {
  what: What
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  idempotencyKey: string
  body: Body
  otherBody: Body
}

export const writeWish = (scene: Scene, { what, method, path, ...rest }: Write): Wish => ({
  ...wishOf(scene, what, method, path),
  ...rest,
})

/** A merchant writes, until it is answered. */
export const write = (scene: Scene, asked: Write): Promise<Call | null> =>
  scene.send(writeWish(scene, asked), scene.chance)

/** As `write`, of what has no body. */
export const act = (
  scene: Scene,
  what: What,
  path: string,
  method: 'POST' | 'DELETE',
  expects: Wish['expects'] = [],
): Promise<Call | null> =>
  write(scene, { what, method, path, idempotencyKey: scene.newKey(), body: null, otherBody: null, expects })
