// Data for the scripts of a recipe's page and of a chain's, as JSON in the page.
import type { Strings } from '../service/http/site/strings/en/index.ts';

/** The texts of the pages, in their language. */
export type RecipeTexts = Strings['recipes'];

/** A recipe's page: files are chosen, roles corrected, the price shown. */
export interface RecipeData {
  readonly language: string;
  /** Its name; null: a chain of the user's own. */
  readonly recipe: string | null;
  /** On its button. */
  readonly action: string;
  readonly drop: string;
  readonly help: string;
  /** Can each file have a role? */
  readonly hasRoles: boolean;
  readonly minFiles: number;
  readonly maxFiles: number;
  /** Of one file. */
  readonly mostBytes: number;
  readonly addresses: {
    /** Of the site: "", or the prefix of a host app. */
    readonly site: string;
    /** This page. */
    readonly page: string;
    /** The page of a chain, to which its id is added. */
    readonly chains: string;
    /** Answers what a chain over files of these lengths costs. */
    readonly price: string;
    /** The page to sign in, which leads back here. */
    readonly signIn: string;
    readonly credits: string;
    /** The REST API. */
    readonly api: string;
    /** Files of the account: <this>/<id>/content. */
    readonly files: string;
    /** Scripts: one looks at sound, one sends files. */
    readonly analyse: string;
    readonly upload: string;
  };
  /** Credits that can be spent; null: a visitor. */
  readonly available: number | null;
  /** Those of the player. */
  readonly t: Strings['bench'];
  readonly texts: RecipeTexts;
  readonly units: Strings['units'];
  readonly errors: Strings['errors'];
}

/** A chain's page, which the server has made: the script follows it, and compares. */
export interface ChainData {
  readonly language: string;
  readonly state: 'running' | 'done' | 'failed';
  /** Prefix of the site's addresses. */
  readonly site: string;
  /** Of its result, for a notification. */
  readonly name: string;
  /** Scripts: one looks at sound. */
  readonly analyse: string;
  readonly t: Strings['bench'];
  readonly texts: RecipeTexts;
}

/** An answer of the address `price`. */
export interface ForetoldPrice {
  readonly credits: number;
  readonly steps: readonly { readonly name: string; readonly title: string; readonly credits: number }[];
}
