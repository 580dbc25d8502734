import { keepsItsPromises } from './histories.ts';

keepsItsPromises(1);
