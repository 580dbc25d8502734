/** A control plane to be killed: hosts an ingress, publishes, says so, and stays. Argument: JSON of ControlPlaneOptions. */
import { makeIngress, serve } from './ingresses.ts';
import type { Routes } from './replicas.ts';
import type { Sandbox } from './sandbox.ts';

export interface ControlPlaneOptions {
  place: Sandbox;
  workers: number;
  routes: Routes;
}

const { place, workers, routes } = JSON.parse(process.argv[2] ?? '') as ControlPlaneOptions;
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
};
const ingress = makeIngress(place, { workers, log });
await ingress.start();
const revision = await serve(ingress, routes);
console.log(JSON.stringify({ revision, workers: ingress.workers() }));
setInterval(() => undefined, 60_000);
